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
 * What each of these commits (ids in full) changed, all from one process; a renamed file was removed and added. Throws
 * GitError with the reason `output_limit` for more than `maxBytes` of paths.
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
  // Before what a commit changed stands its id; each path has a letter before it.
  for (let at = 0; at < tokens.length;) {
    const token = tokens[at++]!
    if (token.length > 1) lists = result.get(token)
    else lists?.[LISTS[token] ?? 'modified'].push(tokens[at++] ?? '')
  }
  return result
}
