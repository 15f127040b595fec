import { mkdtemp, rm } from 'node:fs/promises'
import path from 'node:path'
import { alternatesEnv, objectsOf } from '../upkeep/alternates.ts'
import { git, sha } from '../args.ts'
import { EMPTY_TREE } from './changes.ts'
import { commitContent } from './commit.ts'
import { GitError, GitInputError } from '../errors.ts'
import { newObject, writeObjects } from '../read/objects.ts'
import { splitNul } from '../parse.ts'
import { run } from '../process/run.ts'
import { rootTree } from './tree-object.ts'
import type { Repo } from '../types.ts'

/** The result of a merge. */
export interface MergeResult {
  /** The id of the merged tree, which is written. Files with conflicts contain git's markers. */
  readonly tree: string
  readonly clean: boolean
  /** The paths with conflicts; empty when the merge is clean, and when the commits have no common history. */
  readonly conflicts: readonly string[]
}

/** Merges two commits (full ids). Writes only a tree. The result is cached while the tree exists. */
export async function mergeCommits(repo: Repo, ours: string, theirs: string): Promise<MergeResult> {
  const key = `${ours} ${theirs}`
  const cached = repo.git.cache.get<MergeResult>(repo, 'merge', key)
  if (cached !== undefined && (await repo.git.catFiles.info(repo, cached.tree)) !== null) return cached
  const content = await mergeTree(repo, ours, theirs, {})
  const bytes = content.conflicts.reduce((sum, file) => sum + 50 + 2 * file.length, 600)
  return repo.git.cache.set(repo, 'merge', key, { content, bytes })
}

/** The three sides of a merge, as full commit ids; null is the empty tree. */
export interface ThreeWay {
  readonly base: string | null
  readonly ours: string
  readonly theirs: string | null
}

/**
 * Applies the changes between `base` and `theirs` to `ours`; the commits need no common history. A cherry-pick is `{
 * base: parent, theirs: commit }`, a revert the reverse. Writes only a tree.
 */
export async function mergeThreeWay(repo: Repo, sides: ThreeWay): Promise<MergeResult> {
  const [base, ours, theirs] = await Promise.all([
    treeOf(repo, sides.base),
    treeOf(repo, sides.ours),
    treeOf(repo, sides.theirs),
  ])
  return mergeTrees(repo, { base, ours, theirs })
}

/** Like mergeThreeWay, for trees. */
export async function mergeTrees(
  repo: Repo,
  { base, ours, theirs }: { readonly base: string; readonly ours: string; readonly theirs: string },
): Promise<MergeResult> {
  // Before git 2.40, merge-tree has no option for the base. So temporary commits with this base are created in a folder.
  const folder = await mkdtemp(path.join(repo.git.tmp, 'merge-'))
  try {
    const root = await temporaryCommit(base, [])
    const [left, right] = await Promise.all([
      temporaryCommit(ours, [root.id]),
      temporaryCommit(theirs, [root.id]),
    ])
    const inFolder = { GIT_OBJECT_DIRECTORY: folder, ...alternatesEnv([objectsOf(repo)]) }
    await writeObjects(repo, [root, left, right], { env: inFolder })
    return await mergeTree(repo, left.id, right.id, alternatesEnv([folder]))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** The tree of a commit; the empty tree for null. Throws GitInputError when the commit does not exist. */
export async function treeOf(repo: Repo, commit: string | null): Promise<string> {
  const tree = commit === null ? EMPTY_TREE : await rootTree(repo, commit)
  if (tree === null) throw new GitInputError('The commit does not exist.')
  return tree
}

function temporaryCommit(tree: string, parents: readonly string[]) {
  const nobody = { name: 'merge', email: 'merge@localhost', date: new Date(0) }
  return newObject('commit', commitContent(tree, { parents, message: '', author: nobody, committer: nobody }))
}

async function mergeTree(
  repo: Repo,
  ours: string,
  theirs: string,
  env: Readonly<Record<string, string>>,
): Promise<MergeResult> {
  const args = git`merge-tree --write-tree -z --name-only --no-messages ${sha(ours)} ${sha(theirs)}`
  const { code, stdout, stderr } = await run(repo, 'merge', args, { ok: [0, 1, 128], env })
  if (code === 128) {
    if (!stderr.includes('refusing to merge unrelated histories'))
      throw new GitError({ operation: 'merge', args: args.words, reason: 'exit', code, stderr })
    return { tree: EMPTY_TREE, clean: false, conflicts: [] }
  }
  const [tree, ...conflicts] = splitNul(stdout)
  if (tree === undefined) {
    throw new GitError({ operation: 'merge', args: args.words, reason: 'unexpected_output' })
  }
  return { tree, clean: code === 0, conflicts: conflicts.filter((file) => file !== '') }
}
