import type { ChangedFile } from '../read/changed-paths.ts'
import type { Commit } from '../read/commits.ts'
import { findCommit } from '../read/commits.ts'
import { readTree, typeOfMode, type TreeItem } from '../write/tree-object.ts'
import type { Repo } from '../types.ts'

const NONE = '0'.repeat(40)

/** The files that a commit changed against its first parent, read without a process. For few commits that is faster. */
export async function plainChanges(repo: Repo, commit: Commit): Promise<ChangedFile[]> {
  const [parent] = commit.parent_ids
  const before = parent === undefined ? undefined : await findCommit(repo, parent)
  const files: ChangedFile[] = []
  await compare(repo, { old: before?.tree_id, fresh: commit.tree_id }, '', files)
  return files
}

type Sides<T> = { readonly old: T | undefined; readonly fresh: T | undefined }

async function compare(repo: Repo, { old, fresh }: Sides<string>, folder: string, files: ChangedFile[]) {
  if (old === fresh) return
  const [before, after] = await Promise.all([itemsOf(repo, old), itemsOf(repo, fresh)])
  const keys = [...new Set([...before.keys(), ...after.keys()])].sort()
  for (const key of keys) {
    const [one, other] = [before.get(key), after.get(key)]
    if (one?.id === other?.id && one?.mode === other?.mode) continue
    const { name, mode } = (other ?? one)!
    const path = folder + Buffer.from(name, 'latin1').toString('utf8')
    if (typeOfMode(mode) === 'tree')
      await compare(repo, { old: one?.id, fresh: other?.id }, `${path}/`, files)
    else
      files.push({
        path,
        isRemoved: other === undefined,
        old_mode: one?.mode ?? '000000',
        mode: other?.mode ?? '000000',
        id: other?.id ?? NONE,
      })
  }
}

/** The entries of a folder by name, as git sorts them: a folder ends with a slash. */
async function itemsOf(repo: Repo, tree: string | undefined): Promise<Map<string, TreeItem>> {
  const { items = [] } = (tree === undefined ? null : await readTree(repo, tree)) ?? {}
  return new Map(items.map((item) => [typeOfMode(item.mode) === 'tree' ? `${item.name}/` : item.name, item]))
}
