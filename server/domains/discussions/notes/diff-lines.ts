/** A line of a diff. Removed lines have no new number, added lines no old one. */
export interface DiffLine {
  readonly type: 'new' | 'old' | null
  readonly old_line: number | null
  readonly new_line: number | null
}

const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/

/** Yields the lines in the hunks of a diff, with their numbers. */
export function* linesOf(diff: string): Generator<DiffLine> {
  let [old, fresh] = [0, 0]
  for (const text of diff.split('\n')) {
    const hunk = HUNK.exec(text)
    if (hunk) [old, fresh] = [Number(hunk[1]), Number(hunk[2])]
    else if (text.startsWith('+')) yield { type: 'new', old_line: null, new_line: fresh++ }
    else if (text.startsWith('-')) yield { type: 'old', old_line: old++, new_line: null }
    else if (text.startsWith(' ')) yield { type: null, old_line: old++, new_line: fresh++ }
  }
}

/** Finds the line of a diff with these numbers. Undefined when no hunk shows it. */
export function findLine(
  diff: string,
  wanted: { readonly old_line?: number | null | undefined; readonly new_line?: number | null | undefined },
): DiffLine | undefined {
  for (const line of linesOf(diff)) {
    if (line.old_line === (wanted.old_line ?? null) && line.new_line === (wanted.new_line ?? null))
      return line
  }
  return undefined
}

/** Finds the line with this number that was added (`new`) or removed (`old`). */
export function findChanged(diff: string, type: 'new' | 'old', line: number): DiffLine | undefined {
  return findLine(diff, type === 'new' ? { new_line: line } : { old_line: line })
}

/**
 * True for the numbers of an unchanged line between the hunks. The two numbers differ by the lines that earlier hunks
 * added and removed.
 */
export function isUnchangedLine(diff: string, old_line: number, new_line: number): boolean {
  let shift = 0
  for (const line of linesOf(diff)) {
    if ((line.old_line ?? 0) >= old_line || (line.new_line ?? 0) >= new_line) break
    if (line.type === 'new') shift++
    if (line.type === 'old') shift--
  }
  return old_line >= 1 && new_line - old_line === shift && !isInHunk(diff, old_line, new_line)
}

function isInHunk(diff: string, old_line: number, new_line: number): boolean {
  for (const line of linesOf(diff)) {
    if (line.old_line === old_line || line.new_line === new_line) return true
  }
  return false
}
