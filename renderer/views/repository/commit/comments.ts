import type { DiffFile, DiffLine } from '../../../components/diff/diff-model.ts'
import { lineId } from '../../../components/diff/diff-rows.ts'

export type LinePosition = { path: string; line: number; line_type: 'new' | 'old' }
type Position = { path: string | null; line: number | null; line_type: 'new' | 'old' | null }

/** The position of a line for the API: its number in the new file, or in the old file for a removed line. */
export const positionOf = (file: DiffFile, line: DiffLine): LinePosition =>
  line.new === null
    ? { path: file.oldPath, line: line.old ?? 0, line_type: 'old' }
    : { path: file.path, line: line.new, line_type: 'new' }

const keyOf = (position: Position) => `${position.line_type ?? 'new'}:${position.line}:${position.path}`

/** Comments by the line of the diff that they are about; comments on lines that are not shown are left out. */
export const commentsByLine = <C extends Position>(
  files: readonly DiffFile[],
  comments: readonly C[],
): Map<string, C[]> => {
  const wanted = Map.groupBy(
    comments.filter((one) => one.path !== null && one.line !== null),
    keyOf,
  )
  const found = new Map<string, C[]>()
  if (wanted.size === 0) return found
  for (const file of files) {
    for (const line of file.hunks.flatMap((hunk) => hunk.lines)) {
      const here = wanted.get(keyOf(positionOf(file, line)))
      if (here) found.set(lineId(file, line), here)
    }
  }
  return found
}
