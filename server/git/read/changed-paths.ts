import { git, sha } from '../args.ts'
import { splitNul } from '../parse.ts'
import { run } from '../process/run.ts'
import type { Repo } from '../types.ts'

/** Paths that one commit added, changed and removed, against its first parent. */
export interface ChangedPaths {
  readonly added: readonly string[]
  readonly modified: readonly string[]
  readonly removed: readonly string[]
}

interface Lists {
  readonly added: string[]
  readonly modified: string[]
  readonly removed: string[]
}

const LISTS: Readonly<Record<string, keyof Lists>> = { A: 'added', D: 'removed' }

/**
 * The paths that each of these commits (full ids) changed, read by one process. A renamed file counts as removed and
 * added. Throws GitError (`output_limit`) for more than `maxBytes` of paths.
 */
export async function changedPaths(
  repo: Repo,
  ids: readonly string[],
  { maxBytes }: { maxBytes: number },
): Promise<Map<string, ChangedPaths>> {
  const result = new Map<string, Lists>(ids.map((id) => [id, { added: [], modified: [], removed: [] }]))
  if (result.size === 0) return result
  const args = git`diff-tree --stdin -r -z --root --name-status --no-renames --diff-merges=first-parent --no-ext-diff`
  const input = [...result.keys()].map((id) => `${sha(id).text}\n`).join('')
  const { stdout } = await run(repo, 'commits.paths', args, { input, maxBytes })
  const tokens = splitNul(stdout)
  let lists: Lists | undefined
  // The id of a commit precedes its paths; each path has a status letter before it.
  for (let index = 0; index < tokens.length;) {
    const token = tokens[index++]!
    if (token.length > 1) lists = result.get(token)
    else lists?.[LISTS[token] ?? 'modified'].push(tokens[index++] ?? '')
  }
  return result
}

/** A file that a commit added, changed or removed. */
export interface ChangedFile {
  readonly path: string
  readonly isRemoved: boolean
  /** The mode before the change, six octal digits. */
  readonly old_mode: string
  /** The mode after the change. */
  readonly mode: string
  /** The id of the object after the change. */
  readonly id: string
}

/**
 * The files that each of these commits changed, read by one process. A commit is compared with its first parent, or with
 * the commit that `against` has for it (full ids). A renamed file counts as removed and added. Throws GitError
 * (`output_limit`) for more than `maxBytes`.
 */
export async function changedFiles(
  repo: Repo,
  ids: readonly string[],
  { maxBytes, against }: { maxBytes: number; against?: ReadonlyMap<string, string> },
): Promise<Map<string, ChangedFile[]>> {
  const result = new Map<string, ChangedFile[]>(ids.map((id) => [id, []]))
  if (result.size === 0) return result
  const args = git`diff-tree --stdin -r -z --root --raw --no-abbrev --no-renames --diff-merges=first-parent --no-ext-diff`
  const lines = [...result.keys()].map((id) => {
    const base = against?.get(id)
    return base === undefined ? `${sha(id).text}\n` : `${sha(id).text} ${sha(base).text}\n`
  })
  const { stdout } = await run(repo, 'commits.files', args, { input: lines.join(''), maxBytes })
  const tokens = splitNul(stdout)
  let files: ChangedFile[] | undefined
  // The id of a commit precedes its files; each path follows a record that begins with a colon.
  for (let index = 0; index < tokens.length;) {
    const token = tokens[index++]!
    const [, old_mode = '', mode, id, status] =
      /^:(\d{6}) (\d{6}) [0-9a-f]+ ([0-9a-f]+) ([A-Z])/.exec(token) ?? []
    if (mode === undefined || id === undefined) files = result.get(token)
    else files?.push({ path: tokens[index++] ?? '', isRemoved: status === 'D', old_mode, mode, id })
  }
  return result
}
