import { count } from '../../composables/time.ts'
import type { DiffFile } from './diff-model.ts'
import { t } from '../../locales/t.ts'

/** Files with more lines are collapsed until requested. */
const MANY_LINES = 1500

/** The reason why a file is collapsed; null if it is expanded. */
export function heldBack(file: DiffFile): string | null {
  if (file.leftOut && !file.picture) return file.remark
  if (file.hunks.length === 0) return null
  if (file.generated)
    return t('diff.generated_file_count_changed_lines', { count: count(file.additions + file.deletions) })
  if (file.lineCount > MANY_LINES)
    return t('diff.large_diff_line_count_lines', { line_count: count(file.lineCount) })
  return null
}
