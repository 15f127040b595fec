import { count } from '../../composables/time.ts'
import type { DiffFile } from './diff-model.ts'

/** Beyond so many lines a file is shown when it is asked for. */
const MANY_LINES = 1500

/** Why a file is not unfolded by itself; null where it is. */
export function heldBack(file: DiffFile): string | null {
  if (file.hunks.length === 0) return null
  if (file.generated) return `Written by a program: ${count(file.additions + file.deletions)} changed lines.`
  if (file.lineCount > MANY_LINES) return `${count(file.lineCount)} lines are a lot for one file.`
  return null
}
