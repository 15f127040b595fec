import type { ChangedFile } from '../read/changed-paths.ts'
import type { Commit } from '../read/commits.ts'
import { findCommit } from '../read/commits.ts'
import { readTree, typeOfMode, type TreeItem } from '../write/tree-object.ts'
import { ZERO_ID } from '../names.ts'
import type { Repo } from '../types.ts'

/** The files that a commit changed against its first parent, read without a process. This is faster for few commits. */
export async function plainChanges(repo: Repo, commit: Commit): Promise<ChangedFile[]> {
  const [parent] = commit.parent_ids
  const parentCommit = parent === undefined ? undefined : await findCommit(repo, parent)
  const files: ChangedFile[] = []
  await compare(repo, { before: parentCommit?.tree_id, after: commit.tree_id }, '', files)
  return files
}

/** The ids of a tree before and after the commit; undefined if it did not exist. */
interface TreeIds {
  readonly before: string | undefined
  readonly after: string | undefined
}

async function compare(repo: Repo, trees: TreeIds, folder: string, files: ChangedFile[]): Promise<void> {
  if (trees.before === trees.after) return
  const [before, after] = await Promise.all([itemsOf(repo, trees.before), itemsOf(repo, trees.after)])
  const keys = [...new Set([...before.keys(), ...after.keys()])].sort()
  for (const key of keys) {
    const [oldItem, newItem] = [before.get(key), after.get(key)]
    if (oldItem?.id === newItem?.id && oldItem?.mode === newItem?.mode) continue
    const { name, mode } = (newItem ?? oldItem)!
    const path = folder + Buffer.from(name, 'latin1').toString('utf8')
    if (typeOfMode(mode) === 'tree')
      await compare(repo, { before: oldItem?.id, after: newItem?.id }, `${path}/`, files)
    else
      files.push({
        path,
        isRemoved: newItem === undefined,
        old_mode: oldItem?.mode ?? '000000',
        mode: newItem?.mode ?? '000000',
        id: newItem?.id ?? ZERO_ID,
      })
  }
}

/** The entries of a tree by name. As in git's order, the name of a folder ends with a slash. */
async function itemsOf(repo: Repo, tree: string | undefined): Promise<Map<string, TreeItem>> {
  const { items = [] } = (tree === undefined ? null : await readTree(repo, tree)) ?? {}
  return new Map(items.map((item) => [typeOfMode(item.mode) === 'tree' ? `${item.name}/` : item.name, item]))
}
