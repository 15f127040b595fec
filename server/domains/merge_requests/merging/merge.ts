import type { Ctx } from '../../../ctx.ts'
import { GitRefError } from '../../../git/errors.ts'
import { mergeCommits } from '../../../git/merge.ts'
import { repoOf, type Project } from '../../projects/index.ts'
import { judge, moveRefs } from '../../repository/index.ts'
import { refreshApprovals } from '../approvals/refresh.ts'
import { isApproved } from '../approvals/state.ts'
import { tipsOf, type Tips } from '../diffs/branches.ts'
import { latestDiff, type DiffVersionRow } from '../diffs/store.ts'
import { mayMergeInto } from '../policy.ts'
import * as store from '../store.ts'
import type { MergeRequestRow } from '../types.ts'
import { squashOf } from '../validation.ts'
import { claim, underWay, unlock } from './claim.ts'
import { makeCommits, type MadeCommits } from './commits.ts'
import { completeMerge } from './complete.ts'
import { obstacleOf, pipelineObstacle } from './status.ts'

/** What was chosen for a merge. */
export interface MergeChoice {
  readonly merge_commit_message?: string | undefined
  readonly squash_commit_message?: string | undefined
  readonly squash?: boolean | undefined
  readonly should_remove_source_branch?: boolean | undefined
  /** The head that is meant; refused when it is another one. */
  readonly sha?: string | undefined
}

/** Why a merge was not made. */
export type MergeProblem =
  /** Git cannot: a conflict, a branch that is gone, nothing to merge, a head that is not on top of the target. */
  | { readonly problem: 'unmergeable'; readonly reason: string; readonly shown?: string }
  /** The head is another one than was meant. */
  | { readonly problem: 'other_head'; readonly head: string }
  /** The head that is there now is not approved. */
  | { readonly problem: 'not_approved' }
  /** Somebody else merges or closed it. */
  | { readonly problem: 'not_open' }

export type MergeOutcome = { readonly merged: MergeRequestRow } | MergeProblem

/** Pushes do not wait for us; one that comes in between lets everything begin again, so often. */
const ATTEMPTS = 5

const unmergeable = (reason: string): MergeProblem => ({ problem: 'unmergeable', reason })

/** The push rule does not take what the merge would write; people are shown why. */
const prohibited = (reason: string): MergeProblem => ({
  problem: 'unmergeable',
  reason,
  shown: `Something went wrong during merge pre-receive hook. ${reason}`,
})

interface Standing {
  readonly tips: Tips
  readonly version: DiffVersionRow
  readonly target: string
}

/** The branches as they stand; undefined where one is gone, has moved on, or has no commits of its own. */
async function standing(ctx: Ctx, project: Project, request: MergeRequestRow): Promise<Standing | undefined> {
  const tips = await tipsOf(ctx, project, request)
  const version = latestDiff(ctx.db, request)
  if (tips.target === null || !version || version.state === 'empty') return undefined
  return version.head_commit_sha === tips.head ? { tips, version, target: tips.target } : undefined
}

/**
 * Merges as the project wants it: asks git, makes the commits, moves the target under the rules of pushes, and records
 * it. The permission is asked before, and `given` is what the branches were when everything else was (`catchUp`). `ctx` acts
 * for whoever merges.
 */
export async function mergeNow(
  ctx: Ctx,
  project: Project,
  given: MergeRequestRow,
  choice: MergeChoice,
): Promise<MergeOutcome> {
  const repo = repoOf(ctx, project)
  const ref = `refs/heads/${given.target_branch}`
  // In turn with the commits that the API makes on the target.
  return ctx.git.locks.run(`${repo.key}\0${ref}`, async () => {
    for (let attempt = 1; ; attempt++) {
      const outcome = await attemptMerge(ctx, project, given, choice)
      if (outcome !== 'overtaken') return outcome
      if (attempt === ATTEMPTS) return unmergeable('The target branch was changed by others meanwhile.')
    }
  })
}

async function attemptMerge(
  ctx: Ctx,
  project: Project,
  request: MergeRequestRow,
  choice: MergeChoice,
): Promise<MergeOutcome | 'overtaken'> {
  const state = await standing(ctx, project, request)
  if (!state) return unmergeable('A branch is missing, was pushed to, or has no commits of its own.')
  const { tips, version, target } = state
  // A push that came in meanwhile brings a version that nobody may have approved.
  await refreshApprovals(ctx, request, project)
  if (!isApproved(ctx, request, project)) return { problem: 'not_approved' }
  const { repo } = tips
  const { tree, clean } = await mergeCommits(repo, target, version.head_commit_sha)
  if (!clean) return unmergeable('There are conflicts.')
  const squash = squashOf(project, choice.squash ?? request.squash)
  const messages = { merge: choice.merge_commit_message, squash: choice.squash_commit_message }
  if (choice.sha !== undefined && choice.sha !== version.head_commit_sha) {
    // The head is said last: what cannot be merged at all is said first (spec core 5.4).
    return { problem: 'other_head', head: version.head_commit_sha }
  }
  const made = await makeCommits(ctx, { repo, project, request, version, target, tree, squash, messages })
  if (!made) return unmergeable('The source branch has to be rebased onto the target branch.')
  const changes = [{ ref: `refs/heads/${request.target_branch}`, old: target, new: made.tip }]
  const refusal = await judge({ ctx, project, repo, source: 'merge', changes })
  if (refusal) return refusal.byPushRule ? prohibited(refusal.sentence) : unmergeable(refusal.sentence)
  return carryOut(ctx, project, { request, version, made, changes, squash, choice })
}

interface Decided {
  readonly request: MergeRequestRow
  readonly version: DiffVersionRow
  readonly made: MadeCommits
  readonly changes: readonly { ref: string; old: string; new: string }[]
  readonly squash: boolean
  readonly choice: MergeChoice
}

function isInTheWay(ctx: Ctx, project: Project, id: number): boolean {
  const current = store.byId(ctx.db, id)
  if (!current || !mayMergeInto(ctx, project, current.target_branch)) return true
  const obstacle = obstacleOf(ctx, current, project, { ignoreBroken: true })
  return (obstacle ?? pipelineObstacle(ctx, current, project)) !== undefined
}

/** Somebody else merges it, closed it, or pushed to it. */
class NotOpen extends Error {}

/**
 * Locks the merge request, moves the target, and records the merge: what is about to happen is written together with the
 * announcement of the ref, what has happened together with its event.
 */
async function carryOut(ctx: Ctx, project: Project, decided: Decided): Promise<MergeOutcome | 'overtaken'> {
  const { request, made, changes, squash, choice } = decided
  const { merge_commit_sha, squash_commit_sha } = made
  const should_remove_source_branch = choice.should_remove_source_branch
  const intent = { user_id: ctx.actor.id, to: made.tip, merge_commit_sha, squash_commit_sha }
  let merged: MergeRequestRow | undefined
  const before = () => {
    // What people did while git was at work counts.
    if (isInTheWay(ctx, project, request.id)) throw new NotOpen()
    if (!claim(ctx, request, { squash, should_remove_source_branch, intent })) throw new NotOpen()
  }
  const after = () => {
    const locked = store.byId(ctx.db, request.id)!
    merged = completeMerge(ctx, project, locked, { merge_commit_sha, squash_commit_sha })
  }
  return underWay(ctx, request.id, async () => {
    try {
      await moveRefs(ctx, project, { source: 'merge', changes, before, after })
      // Undefined where the whole project went meanwhile.
      return merged ? { merged } : { problem: 'not_open' }
    } catch (error) {
      if (error instanceof NotOpen) return { problem: 'not_open' }
      // Of anything else it is not known how far it came: it stays locked until it is taken up.
      if (!(error instanceof GitRefError)) throw error
      unlock(ctx, request)
      return 'overtaken'
    }
  })
}
