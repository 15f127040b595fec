import type { DiffFile, DiffHunk, DiffLine } from '../diff-model.ts'

/** Number of unchanged lines that one click loads. */
export const GROW_STEP = 20

/** The loaded lines of a file, and the number of shown lines above each hunk and below the last one. */
export interface Grown {
  lines: readonly string[]
  above: ReadonlyMap<number, number>
  below: number
}

/** The number of lines between a hunk and the previous one; for the index after the last, up to the end of the file. */
export function gapAbove(file: DiffFile, index: number): number {
  const before = file.hunks[index - 1]
  const from = before ? before.newStart + before.newCount : 1
  return (file.hunks[index]?.newStart ?? from) - from
}

/** The file with unchanged lines put around its hunks; two hunks that meet go on without a head between them. */
export function grow(file: DiffFile, grown: Grown): DiffFile {
  let lastEnd = 0
  const hunks = file.hunks.map((hunk, index) => {
    const wanted = Math.min(grown.above.get(index) ?? 0, gapAbove(file, index))
    const top = Array.from({ length: wanted }, (_, i) => contextLine(hunk, grown.lines, i - wanted))
    const isLast = index === file.hunks.length - 1
    const bottom = isLast ? tail(hunk, grown) : []
    const next = stretched(hunk, top, bottom)
    next.joined = index > 0 && next.newStart === lastEnd
    lastEnd = next.newStart + next.newCount
    return next
  })
  return { ...file, hunks, lineCount: hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0) }
}

function stretched(hunk: DiffHunk, top: DiffLine[], bottom: DiffLine[]): DiffHunk {
  if (top.length + bottom.length === 0) return { ...hunk }
  return {
    ...hunk,
    oldStart: hunk.oldStart - top.length,
    newStart: hunk.newStart - top.length,
    oldCount: hunk.oldCount + top.length + bottom.length,
    newCount: hunk.newCount + top.length + bottom.length,
    lines: [...top, ...hunk.lines, ...bottom],
  }
}

/** A line before the hunk, at a negative distance from its first one. */
function contextLine(hunk: DiffHunk, lines: readonly string[], by: number): DiffLine {
  return unchanged(lines, hunk.oldStart + by, hunk.newStart + by)
}

function tail(hunk: DiffHunk, grown: Grown): DiffLine[] {
  const end = hunk.newStart + hunk.newCount
  const count = Math.max(0, Math.min(grown.below, grown.lines.length - end + 1))
  return Array.from({ length: count }, (_, i) =>
    unchanged(grown.lines, hunk.oldStart + hunk.oldCount + i, end + i),
  )
}

function unchanged(lines: readonly string[], oldLine: number, newLine: number): DiffLine {
  const raw = lines[newLine - 1] ?? ''
  const cr = raw.endsWith('\r')
  return {
    kind: 'context',
    text: cr ? raw.slice(0, -1) : raw,
    old: oldLine,
    new: newLine,
    cr,
    noNewline: false,
    pair: null,
  }
}
