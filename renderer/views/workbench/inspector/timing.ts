import { t } from '../../../locales/t.ts'
import { stepWord, type RequestInFull } from './requests.ts'

/** A bar of the drawing of times; `start` and `width` are shares of the whole time, in percent. */
export type Bar = { kind: 'step' | 'sql' | 'git' | 'other'; start: number; width: number; title: string }
/** One line of the drawing. */
export type Line = { label: string; bars: Bar[]; ms: number; note?: string }

const MIN_WIDTH = 0.4

/** The lines of the drawing: every step, the time outside of them, the statements and the git commands. */
export const linesOf = (one: RequestInFull): Line[] => {
  const whole = Math.max(
    one.duration_ms,
    ...one.git.map(({ at_ms, duration_ms }) => at_ms + duration_ms),
    0.001,
  )
  const bar = (kind: Bar['kind'], at: number, ms: number, title: string): Bar => {
    const start = Math.min(99.6, Math.max(0, (at / whole) * 100))
    return { kind, start, width: Math.max(MIN_WIDTH, Math.min(100 - start, (ms / whole) * 100)), title }
  }
  const steps = one.steps.map(({ step, at_ms, duration_ms }) => ({
    label: stepWord(step),
    bars: [bar('step', at_ms, duration_ms, stepWord(step))],
    ms: duration_ms,
  }))
  const last = one.steps.at(-1)
  const end = last ? last.at_ms + last.duration_ms : 0
  const rest = Math.max(0, one.duration_ms - end)
  const lines: Line[] = [
    ...steps,
    { label: t('inspector.rest'), bars: [bar('other', end, rest, t('inspector.rest'))], ms: rest },
  ]
  if (one.statement_count > 0)
    lines.push({
      label: t('inspector.statements'),
      note: String(one.statement_count),
      bars: one.statements.map(({ sql, at_ms, duration_ms }) => bar('sql', at_ms, duration_ms, sql)),
      ms: one.statement_ms,
    })
  if (one.git_count > 0)
    lines.push({
      label: t('common.git'),
      note: String(one.git_count),
      bars: one.git.map(({ operation, at_ms, duration_ms }) => bar('git', at_ms, duration_ms, operation)),
      ms: one.git_ms,
    })
  return lines
}
