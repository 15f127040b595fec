import { GitError } from '../errors.ts'
import { isAncestor } from '../read/graph.ts'
import type { Repo } from '../types.ts'

/** The refs that a mirror follows, and its handling of diverged refs. */
export interface MirrorRules {
  /** True if the mirror follows a branch (short name). It follows all tags. */
  readonly isFollowed: (branch: string) => boolean
  /** True to leave diverged refs unchanged and to delete nothing. Otherwise the remote becomes equal. */
  readonly keepDivergent: boolean
}

/** A change of a remote ref. `old` is its current value, null if it does not exist. A `new` of null deletes it. */
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
 * Determines the changes on the remote. `local` and `remote` are branches and tags by full name. A ref that only exists
 * on the remote is deleted if this repository has its object, so that no commits are lost that only exist there. An empty
 * repository deletes nothing (spec administration 5.2).
 */
export async function planPush(
  repo: Repo,
  local: ReadonlyMap<string, string>,
  remote: ReadonlyMap<string, string>,
  rules: MirrorRules,
): Promise<PushPlan> {
  const isFollowed = (ref: string) => !ref.startsWith(HEADS) || rules.isFollowed(ref.slice(HEADS.length))
  const changes: MirrorChange[] = []
  const diverged: string[] = []
  for (const [ref, oid] of local) {
    const remoteOid = remote.get(ref) ?? null
    if (remoteOid === oid || !isFollowed(ref)) continue
    if (remoteOid !== null && rules.keepDivergent && !(await isKnownAncestor(repo, remoteOid, oid)))
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
  // Deletions come first, because `a` and `a/b` cannot both exist.
  changes.sort((a, b) => Number(a.new !== null) - Number(b.new !== null))
  return { changes, diverged }
}

/** True when this repository has `oid` and it is an ancestor of `tip`. False for objects without a history. */
async function isKnownAncestor(repo: Repo, oid: string, tip: string): Promise<boolean> {
  if ((await repo.git.catFiles.info(repo, oid)) === null) return false
  try {
    return await isAncestor(repo, oid, tip)
  } catch (error) {
    if (error instanceof GitError && error.reason === 'exit') return false
    throw error
  }
}
