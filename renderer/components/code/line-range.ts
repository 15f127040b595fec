import { t } from '../../locales/t.ts'
/** Lines of a file, 1-based, both ends included. */
export interface LineRange {
  from: number
  to: number
}

/** Reads `#L10` and `#L10-20`; null for anything else. */
export function readLineHash(hash: string): LineRange | null {
  const match = /^#L(\d{1,9})(?:-L?(\d{1,9}))?$/.exec(hash)
  if (!match) return null
  const first = Number(match[1])
  const second = Number(match[2] ?? match[1])
  if (first < 1 || second < 1) return null
  return { from: Math.min(first, second), to: Math.max(first, second) }
}

export function lineHash(range: LineRange): string {
  return range.from === range.to ? `#L${range.from}` : `#L${range.from}-${range.to}`
}

/** The lines selected by a click on a line number; with Shift, the range from the previous selection. */
export function extendTo(former: LineRange | null, line: number, shift: boolean): LineRange | null {
  if (former && shift) {
    const start = line < former.from ? former.to : former.from
    return { from: Math.min(start, line), to: Math.max(start, line) }
  }
  if (former && former.from === line && former.to === line) return null
  return { from: line, to: line }
}

/** `Line 3 selected`, `Lines 3–9 selected`. */
export function rangeTitle(range: LineRange): string {
  return range.from === range.to
    ? t('code.line_from', { from: range.from })
    : t('code.lines_from_to', { from: range.from, to: range.to })
}
