import { StartupError } from '../../../lib/fail.ts'
import type { ClockChange, ClockState } from '../clock/service.ts'
import { requestJson, type Target } from './request.ts'

const PATH = '/-/workbench/clock'

/** A command about the clock. */
export interface ClockCommand extends Target {
  /** Undefined shows the clock. */
  readonly action: string | undefined
  /** A time, or for `advance` also a duration. */
  readonly value: string | undefined
  readonly real: boolean
  readonly print: (line: string) => void
}

/** Shows or changes the clock of a running instance, and prints what ran. Throws StartupError. */
export async function clockCommand(command: ClockCommand): Promise<void> {
  const { action, print } = command
  if (action === undefined) return print(sentence((await requestJson(command, 'GET', PATH)) as ClockState))
  for (let body = bodyOf(command); ;) {
    const change = (await requestJson(command, 'POST', PATH, body)) as ClockChange
    for (const { kind, name, count, failed, first_at } of change.runs)
      print(`${first_at}  ${kind.padEnd(4)}  ${name}  ×${count}${failed > 0 ? `, ${failed} failed` : ''}`)
    // One request advances the clock for a limited time, so the rest is requested again.
    if (change.complete) return print(sentence(change))
    body = { action: 'advance', time: change.target }
  }
}

function bodyOf({ action, value, real }: ClockCommand): Record<string, unknown> {
  const isTime = value !== undefined && /^\d{4}-\d{2}-\d{2}/.test(value)
  if (action === 'run') return { action, ...(real ? { real } : {}) }
  if (action === 'freeze' || action === 'set')
    return { action, ...(value === undefined ? {} : { time: value }) }
  if (action === 'advance') return { action, ...(isTime ? { time: value } : { by: value }) }
  throw new StartupError(`There is no "clock ${action}"; it is freeze, set, advance or run.`)
}

function sentence({ mode, now, real_now }: ClockState): string {
  if (mode === 'real') return `The clock is the computer's: ${now}`
  return `${mode === 'frozen' ? 'The clock stands still at' : 'The clock runs, it is'} ${now} (computer: ${real_now})`
}
