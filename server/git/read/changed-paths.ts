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
 * What each of these commits (full ids) changed, from one process. A renamed file counts as removed and added. Throws
 * GitError (`output_limit`) for more than `maxBytes` of paths.
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
  for (let at = 0; at < tokens.length;) {
    const token = tokens[at++]!
    if (token.length > 1) lists = result.get(token)
    else lists?.[LISTS[token] ?? 'modified'].push(tokens[at++] ?? '')
  }
  return result
}

/** A file that a commit added, changed or removed. */
export interface ChangedFile {
  readonly path: string
  readonly isRemoved: boolean
  /** Six octal digits, before and after the change. */
  readonly old_mode: string
  readonly mode: string
  /** The object after the change. */
  readonly id: string
}

/**
 * The files that each of these commits changed, from one process: against its first parent, or against the commit that
 * `against` names for it (full ids). A renamed file counts as removed and added. Throws GitError (`output_limit`) for more
 * than `maxBytes`.
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
    const other = against?.get(id)
    return other === undefined ? `${sha(id).text}\n` : `${sha(id).text} ${sha(other).text}\n`
  })
  const { stdout } = await run(repo, 'commits.files', args, { input: lines.join(''), maxBytes })
  const tokens = splitNul(stdout)
  let files: ChangedFile[] | undefined
  // The id of a commit precedes its files; each path follows a record that begins with a colon.
  for (let at = 0; at < tokens.length;) {
    const token = tokens[at++]!
    const [, old_mode = '', mode, id, status] =
      /^:(\d{6}) (\d{6}) [0-9a-f]+ ([0-9a-f]+) ([A-Z])/.exec(token) ?? []
    if (mode === undefined || id === undefined) files = result.get(token)
    else files?.push({ path: tokens[at++] ?? '', isRemoved: status === 'D', old_mode, mode, id })
  }
  return result
}
