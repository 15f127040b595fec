import { count } from '../../composables/time.ts'
import { NOT_SAID, type DiffFile } from './diff-model.ts'

/** Files with more lines are collapsed until requested. */
const MANY_LINES = 1500

/** The reason why a file is collapsed; null if it is expanded. */
export function heldBack(file: DiffFile): string | null {
  if (file.remark === NOT_SAID && !file.picture) return NOT_SAID
  if (file.hunks.length === 0) return null
  if (file.generated) return `Written by a program: ${count(file.additions + file.deletions)} changed lines.`
  if (file.lineCount > MANY_LINES) return `${count(file.lineCount)} lines are a lot for one file.`
  return null
}
