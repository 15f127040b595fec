import { git, sha } from '../args.ts'
import { GitError } from '../errors.ts'
import { splitNul } from '../parse.ts'
import { run } from '../process/run.ts'
import type { Repo } from '../types.ts'

/** The file of one side of a merge. */
export interface StagedFile {
  readonly mode: string
  readonly id: string
}

/** A path with conflicts, and its versions. A version is missing if that side lacks the file. */
export interface ConflictedPath {
  readonly path: string
  readonly base?: StagedFile
  readonly ours?: StagedFile
  readonly theirs?: StagedFile
}

export interface StagedMerge {
  /** The id of the merged tree, which is written. Files with conflicts contain git's markers. */
  readonly tree: string
  readonly clean: boolean
  /** The paths with conflicts, in git's order. */
  readonly conflicts: readonly ConflictedPath[]
}

const SIDES = ['base', 'ours', 'theirs'] as const

/** Merges two commits (full ids), and returns the versions of each path with conflicts. Null without a common history. */
export async function mergeStages(repo: Repo, ours: string, theirs: string): Promise<StagedMerge | null> {
  const args = git`merge-tree --write-tree -z --no-messages ${sha(ours)} ${sha(theirs)}`
  const { code, stdout, stderr } = await run(repo, 'merge.stages', args, { ok: [0, 1, 128] })
  if (code === 128) {
    if (stderr.includes('refusing to merge unrelated histories')) return null
    throw new GitError({ operation: 'merge.stages', args: args.words, reason: 'exit', code, stderr })
  }
  const [tree, ...lines] = splitNul(stdout)
  if (tree === undefined)
    throw new GitError({ operation: 'merge.stages', args: args.words, reason: 'unexpected_output' })
  const byPath = new Map<string, ConflictedPath>()
  for (const line of lines) {
    const [, mode, id, stage, path] = /^(\d{6}) ([0-9a-f]{40}) ([123])\t(.+)$/s.exec(line) ?? []
    if (!mode || !id || !stage || !path) continue
    const side = SIDES[Number(stage) - 1]!
    byPath.set(path, { ...(byPath.get(path) ?? { path }), [side]: { mode, id } })
  }
  return { tree, clean: code === 0, conflicts: [...byPath.values()] }
}
