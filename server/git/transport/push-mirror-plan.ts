import { GitError } from '../errors.ts'
import { isAncestor } from '../read/graph.ts'
import type { Repo } from '../types.ts'

/** Which refs a mirror follows, and what happens where the other side went another way. */
export interface MirrorRules {
  /** Whether a branch is followed, by its short name. Tags always are. */
  readonly isWanted: (branch: string) => boolean
  /** Refs that went another way are left as they are, and nothing is deleted; otherwise the other side is made equal. */
  readonly keepDivergent: boolean
}

/** A ref that is to change on the other side. `old` is what it has there, null for none; `new` null deletes. */
export interface MirrorChange {
  readonly ref: string
  readonly old: string | null
  readonly new: string | null
}

/** What an update of a mirror is to do. */
export interface PushPlan {
  readonly changes: readonly MirrorChange[]
  readonly diverged: readonly string[]
}

const HEADS = 'refs/heads/'

/**
 * Works out what has to change on the other side. `ours` and `theirs` are branches and tags by full name. What only the
 * other side has is deleted where it is something that this repository once had, so that nobody's work gets lost; an
 * empty repository deletes nothing (spec administration 5.2).
 */
export async function planPush(
  repo: Repo,
  ours: ReadonlyMap<string, string>,
  theirs: ReadonlyMap<string, string>,
  rules: MirrorRules,
): Promise<PushPlan> {
  const isFollowed = (ref: string) => !ref.startsWith(HEADS) || rules.isWanted(ref.slice(HEADS.length))
  const changes: MirrorChange[] = []
  const diverged: string[] = []
  for (const [ref, oid] of ours) {
    const there = theirs.get(ref) ?? null
    if (there === oid || !isFollowed(ref)) continue
    if (there !== null && rules.keepDivergent && !(await leadsTo(repo, there, oid))) diverged.push(ref)
    else changes.push({ ref, old: there, new: oid })
  }
  const isEmpty = ![...ours.keys()].some((ref) => ref.startsWith(HEADS))
  if (rules.keepDivergent || isEmpty) return { changes, diverged }
  for (const [ref, there] of theirs) {
    if (ours.has(ref) || !isFollowed(ref)) continue
    if ((await repo.git.catFiles.info(repo, there)) !== null) changes.push({ ref, old: there, new: null })
  }
  // What goes makes room: `a` and `a/b` cannot both be.
  changes.sort((one, other) => Number(one.new !== null) - Number(other.new !== null))
  return { changes, diverged }
}

/** Whether one object is known here and part of the history of the other; never so for what has none. */
async function leadsTo(repo: Repo, from: string, to: string): Promise<boolean> {
  if ((await repo.git.catFiles.info(repo, from)) === null) return false
  try {
    return await isAncestor(repo, from, to)
  } catch (error) {
    if (error instanceof GitError && error.reason === 'exit') return false
    throw error
  }
}
