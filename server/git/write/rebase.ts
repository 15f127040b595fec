import { commitContent } from './commit.ts'
import type { Commit } from '../read/commits.ts'

import { identityAt, type Identity } from './identity.ts'
import { mergeTrees, treeOf } from './merge.ts'
import { newObject, writeObjects, type NewObject } from '../read/objects.ts'

import type { Repo } from '../types.ts'

/** The new tip, or the first commit with conflicts and their paths. */
export type RebaseResult =
  | { readonly tip: string }
  | { readonly commit: string; readonly conflicts: readonly string[] }

/**
 * Rebases commits like `git rebase`: authors stay, and a commit that no longer changes anything is dropped. Commits
 * that are already on top of `onto` stay. All objects are written at the end; no ref changes.
 *
 * @param commits the commits, oldest first, without merges
 *
 * @param onto the full id of the new base
 */
export async function rebaseCommits(
  repo: Repo,
  commits: readonly Commit[],
  { onto, committer }: { onto: string; committer: Identity },
): Promise<RebaseResult> {
  const objects: NewObject[] = []
  let tip = onto
  let tree = await treeOf(repo, onto)
  for (const commit of commits) {
    if (commit.parent_ids[0] === tip) {
      tip = commit.id
      tree = commit.tree_id
      continue
    }
    const base = await treeOf(repo, commit.parent_ids[0] ?? null)
    const { tree: result, clean, conflicts } = await apply(repo, { base, ours: tree, theirs: commit.tree_id })
    if (!clean) return { commit: commit.id, conflicts }
    // A commit that was already empty stays.
    if (result === tree && base !== commit.tree_id) continue
    const object = await newObject('commit', contentOf(commit, { tree: result, parent: tip, committer }))
    objects.push(object)
    tip = object.id
    tree = result
  }
  await writeObjects(repo, objects)
  return { tip }
}

/** Merges the trees, without git if only one side changed. */
async function apply(repo: Repo, sides: { base: string; ours: string; theirs: string }) {
  const { base, ours, theirs } = sides
  if (base === ours || ours === theirs) return { tree: theirs, clean: true, conflicts: [] }
  if (base === theirs) return { tree: ours, clean: true, conflicts: [] }
  return mergeTrees(repo, sides)
}

function contentOf(
  commit: Commit,
  { tree, parent, committer }: { tree: string; parent: string; committer: Identity },
): Buffer {
  const author = identityAt(commit.author_name, commit.author_email, commit.authored_date)
  return commitContent(tree, { parents: [parent], message: commit.message, author, committer })
}
