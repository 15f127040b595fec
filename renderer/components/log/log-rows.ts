import type { LogLine, LogRow, LogSection } from './log-model.ts'

/** The sections that the user opened or closed, by id. */
export type Folds = ReadonlyMap<number, boolean>

/** Whether a section is folded away. */
export const isClosed = (section: LogSection, folds: Folds) =>
  folds.has(section.id) ? !folds.get(section.id) : section.startsClosed

/** The rows that are not inside of something folded. */
export const visibleRows = (rows: readonly LogRow[], folds: Folds): LogRow[] => {
  const hidden = new Map<LogSection, boolean>()
  const isHidden = (section: LogSection): boolean => {
    const known = hidden.get(section)
    if (known !== undefined) return known
    const is = isClosed(section, folds) || section.sections.some((outer) => isClosed(outer, folds))
    hidden.set(section, is)
    return is
  }
  return rows.filter((row) => {
    const inner = row.sections.at(-1)
    return inner === undefined || !isHidden(inner)
  })
}

/** Lines that contain a text, case-insensitive. */
export const linesWith = (rows: readonly LogRow[], text: string): LogLine[] => {
  const wanted = text.toLowerCase()
  if (wanted === '') return []
  return rows.filter((row): row is LogLine => row.kind === 'line' && row.text.toLowerCase().includes(wanted))
}

/** The folds with everything open that hides a row. */
export const revealed = (row: LogRow, folds: Folds): Folds => {
  const closed = row.sections.filter((section) => isClosed(section, folds))
  if (closed.length === 0) return folds
  return new Map([...folds, ...closed.map((section) => [section.id, true] as const)])
}

/** `1:24`, `1:02:03`; seconds. */
export const clockWords = (seconds: number): string => {
  const whole = Math.max(0, Math.round(seconds))
  const [h, m, s] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60]
  const two = (part: number) => String(part).padStart(2, '0')
  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`
}
