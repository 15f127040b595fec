import { GitError } from '../errors.ts'
import { isAncestor } from '../read/graph.ts'
import type { Repo } from '../types.ts'

/** Which refs a mirror follows, and how it handles diverged refs. */
export interface MirrorRules {
  /** Whether a branch is followed, by its short name. Tags always are. */
  readonly isWanted: (branch: string) => boolean
  /** Leave diverged refs unchanged and delete nothing; otherwise the remote is made equal. */
  readonly keepDivergent: boolean
}

/** A change of a remote ref. `old` is its value there, null when it does not exist; `new` null deletes it. */
export interface MirrorChange {
  readonly ref: string
  readonly old: string | null
  readonly new: string | null
}

/** The changes of one mirror update. */
export interface PushPlan {
  readonly changes: readonly MirrorChange[]
  readonly diverged: readonly string[]
}

const HEADS = 'refs/heads/'

/**
 * Determines the changes on the remote. `ours` and `theirs` are branches and tags by full name. A ref that only the
 * remote has is deleted when this repository has its object; commits that were only made there are kept. An empty
 * repository deletes nothing (spec administration 5.2).
 */
export async function planPush(
  repo: Repo,
  local: ReadonlyMap<string, string>,
  remote: ReadonlyMap<string, string>,
  rules: MirrorRules,
): Promise<PushPlan> {
  const isFollowed = (ref: string) => !ref.startsWith(HEADS) || rules.isWanted(ref.slice(HEADS.length))
  const changes: MirrorChange[] = []
  const diverged: string[] = []
  for (const [ref, oid] of local) {
    const remoteOid = remote.get(ref) ?? null
    if (remoteOid === oid || !isFollowed(ref)) continue
    if (remoteOid !== null && rules.keepDivergent && !(await leadsTo(repo, remoteOid, oid)))
      diverged.push(ref)
    else changes.push({ ref, old: remoteOid, new: oid })
  }
  const isEmpty = ![...local.keys()].some((ref) => ref.startsWith(HEADS))
  if (rules.keepDivergent || isEmpty) return { changes, diverged }
  for (const [ref, remoteOid] of remote) {
    if (local.has(ref) || !isFollowed(ref)) continue
    if ((await repo.git.catFiles.info(repo, remoteOid)) !== null)
      changes.push({ ref, old: remoteOid, new: null })
  }
  // Deletions first, because `a` and `a/b` cannot both exist.
  changes.sort((a, b) => Number(a.new !== null) - Number(b.new !== null))
  return { changes, diverged }
}

/** True when `from` is known here and is an ancestor of `to`. False for objects without a history. */
async function leadsTo(repo: Repo, from: string, to: string): Promise<boolean> {
  if ((await repo.git.catFiles.info(repo, from)) === null) return false
  try {
    return await isAncestor(repo, from, to)
  } catch (error) {
    if (error instanceof GitError && error.reason === 'exit') return false
    throw error
  }
}
