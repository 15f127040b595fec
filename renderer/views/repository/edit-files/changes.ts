import { t } from '../../../locales/t.ts'
import { unifiedDiff } from '../../../components/diff/line-diff.ts'
import type { DiffEntry } from '../../../components/diff/diff-model.ts'
import { cleanPath, encodeText, pathProblem, type TextForm } from '../edit/text-bytes.ts'
import type { FileChange } from '../edit/useCommitFiles.ts'

/** A file that was opened, with what became of it. */
export interface Edited {
  /** Names it while it is edited; its path may change. */
  key: string
  /** The path in the branch; null for a new file. */
  former: string | null
  path: string
  before: string
  text: string
  form: TextForm
  /** The commit that the file was read from, for the check that nobody has changed it since. */
  last_commit_id: string | null
  /** False for files that have no text to edit. They can be renamed and deleted. */
  isText: boolean
  deleted: boolean
}

export type EditKind = 'added' | 'deleted' | 'renamed' | 'modified'

/** What a commit would do with the file; null when nothing. */
export const kindOf = (file: Edited): EditKind | null => {
  if (file.former === null) return file.deleted ? null : 'added'
  if (file.deleted) return 'deleted'
  if (cleanPath(file.path) !== file.former) return 'renamed'
  return file.text === file.before ? null : 'modified'
}

/** The files that a commit would change, in the order of their paths. */
export const changedFiles = (files: readonly Edited[]): Edited[] =>
  files.filter((file) => kindOf(file) !== null).sort((a, b) => (a.path < b.path ? -1 : 1))

/** Why the path of a file cannot be used; null when it can. `paths` are those of the branch. */
export const problemOf = (
  file: Edited,
  files: readonly Edited[],
  paths: ReadonlySet<string>,
): string | null => {
  if (file.deleted) return null
  const kind = kindOf(file)
  if (kind !== 'added' && kind !== 'renamed') return null
  const problem = pathProblem(file.path)
  if (problem) return problem
  const path = cleanPath(file.path)
  const isFreed = files.some(
    (one) => one.former === path && ['deleted', 'renamed'].includes(kindOf(one) ?? ''),
  )
  const isDouble = files.some((one) => one !== file && !one.deleted && cleanPath(one.path) === path)
  return isDouble || (paths.has(path) && !isFreed) ? t('repository.a_file_has_this_path_already') : null
}

const ORDER: readonly EditKind[] = ['deleted', 'renamed', 'modified', 'added']

/** The actions of the commit. Paths become free before other files take them. */
export const actionsOf = (files: readonly Edited[], isForced: boolean): FileChange[] =>
  ORDER.flatMap((kind) =>
    changedFiles(files)
      .filter((file) => kindOf(file) === kind)
      .map((file) => actionOf(file, kind, isForced)),
  )

const actionOf = (file: Edited, kind: EditKind, isForced: boolean): FileChange => {
  const file_path = kind === 'deleted' ? file.former! : cleanPath(file.path)
  const known = isForced || !file.last_commit_id ? {} : { last_commit_id: file.last_commit_id }
  if (kind === 'deleted') return { action: 'delete', file_path, ...known }
  const content = { content: encodeText(file.text, file.form), encoding: 'base64' as const }
  if (kind === 'added') return { action: 'create', file_path, ...content }
  if (kind === 'modified') return { action: 'update', file_path, ...content, ...known }
  const isSame = !file.isText || file.text === file.before
  return { action: 'move', file_path, previous_path: file.former!, ...(isSame ? {} : content), ...known }
}

/** The changes as a diff, to look at before the commit. */
export const diffsOf = (files: readonly Edited[]): DiffEntry[] =>
  changedFiles(files).map((file) => {
    const kind = kindOf(file)
    const path = cleanPath(file.path)
    return {
      diff: diffOf(file, path),
      old_path: file.former ?? path,
      new_path: file.deleted ? file.former! : path,
      new_file: kind === 'added',
      deleted_file: kind === 'deleted',
      renamed_file: kind === 'renamed',
    }
  })

/** The message of the commit when none is written. */
export const usualMessage = (files: readonly Edited[]): string => {
  const changed = changedFiles(files)
  const [only] = changed
  if (!only || changed.length > 1) return t('repository.change_count_files', { count: changed.length })
  const name = (only.former ?? cleanPath(only.path)).split('/').at(-1) ?? ''
  const kind = kindOf(only)
  if (kind === 'added')
    return t('repository.add_name', { name: cleanPath(only.path).split('/').at(-1) ?? '' })
  if (kind === 'deleted') return t('repository.delete_name', { name })
  return kind === 'renamed'
    ? t('repository.move_path_to_path_2', { path: only.former, path_2: cleanPath(only.path) })
    : t('repository.update_name', { name })
}

const diffOf = (file: Edited, path: string): string => {
  if (file.isText) return unifiedDiff(file.before, file.deleted ? '' : file.text)
  return file.deleted ? `Binary files a/${path} and /dev/null differ\n` : ''
}
