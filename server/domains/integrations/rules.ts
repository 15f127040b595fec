import { linearPattern } from '../../lib/linear-pattern.ts'
import type { Field, Integration } from './catalogue/index.ts'
import type { Settings, Value } from './settings.ts'

const isBlank = (value: Value | undefined): boolean =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '')

/** Whether a setting has to be there, given what else is. */
export function isNeeded({ is_required, unless }: Field, settings: Settings): boolean {
  return is_required && (!unless || settings[unless.name] !== unless.value)
}

/** What is wrong with settings, by field; empty when nothing is. */
export function problemsOf(one: Integration, settings: Settings): Record<string, string> {
  const problems = one.fields.flatMap((field) => {
    const problem = problemOf(field, settings)
    return problem ? [[field.name, problem]] : []
  })
  return Object.fromEntries(problems) as Record<string, string>
}

function problemOf(field: Field, settings: Settings): string | undefined {
  const value = settings[field.name]
  if (isBlank(value)) return isNeeded(field, settings) ? "can't be blank" : undefined
  if (typeof value !== 'string') return undefined
  if (field.type !== 'lines' && /[\r\n]/.test(value)) return 'is invalid'
  if (field.format === 'regex') return isPattern(value) ? undefined : 'is invalid'
  if (field.format && !isWebAddress(value)) return 'must be a valid URL'
  return field.pattern && !field.pattern.test(value) ? 'is invalid' : undefined
}

function isPattern(value: string): boolean {
  try {
    return linearPattern(value) !== undefined
  } catch {
    return false
  }
}

/** `:id` of trackers stands anywhere, also where no address has a colon; it is taken for a number. */
function isWebAddress(value: string): boolean {
  const address = value.trim().replaceAll(':id', '1')
  if (/\s/.test(address) || !URL.canParse(address)) return false
  const { protocol, hostname } = new URL(address)
  return (protocol === 'http:' || protocol === 'https:') && hostname !== ''
}
