import type { Ctx } from '../../../ctx.ts'
import { GitRefError } from '../../../git/errors.ts'
import { mergeCommits } from '../../../git/write/merge.ts'
import { repoOf, type Project } from '../../projects/index.ts'
import { runChecks, moveRefs, committerOf } from '../../repository/index.ts'
import { refreshApprovals } from '../approvals/refresh.ts'
import { isApproved } from '../approvals/state.ts'
import { tipsOf, type Tips } from '../diffs/branches.ts'
import { latestDiff, type DiffVersionRow } from '../diffs/store.ts'
import { mayMergeInto } from '../policy.ts'
import * as store from '../store.ts'
import type { MergeRequestRow } from '../types.ts'
import { squashOf } from '../validation.ts'
import { claim, whileMerging, unlock } from './claim.ts'
import { completeMerge, type MergeShas } from './complete.ts'
import { obstacleOf, pipelineObstacle } from './status.ts'
import { commitContent } from '../../../git/write/commit.ts'
import { readCommits } from '../../../git/read/commits.ts'
import { isAncestor } from '../../../git/read/graph.ts'
import { newObject, writeObjects, type NewObject } from '../../../git/read/objects.ts'
import { rootTree } from '../../../git/write/tree-object.ts'
import type { Repo } from '../../../git/types.ts'
import { identityOf, mergeMessage, squashMessage } from './messages.ts'

/** The options of a merge. */
export interface MergeOptions {
  readonly merge_commit_message?: string | undefined
  readonly squash_commit_message?: string | undefined
  readonly squash?: boolean | undefined
  readonly should_remove_source_branch?: boolean | undefined
  /** The expected head. The merge fails for any other. */
  readonly sha?: string | undefined
}

/** The options of a merge, with the generation of the database before the caller checked everything. */
export interface CheckedOptions extends MergeOptions {
  readonly checkedAt: number
}

/** The reason why a merge failed. */
export type MergeProblem =
  /** A conflict, a missing branch, nothing to merge, or a rebase that is needed first. */
  | { readonly problem: 'unmergeable'; readonly reason: string; readonly shown?: string }
  /** The head is not the expected one. */
  | { readonly problem: 'other_head'; readonly head: string }
  /** The current head is not approved. */
  | { readonly problem: 'not_approved' }
  /** Another request merged or closed the merge request. */
  | { readonly problem: 'not_open' }

export type MergeOutcome = { readonly merged: MergeRequestRow } | MergeProblem

/** The maximum number of attempts to merge. A concurrent push to the target branch makes another attempt necessary. */
const ATTEMPTS = 5

const unmergeable = (reason: string): MergeProblem => ({ problem: 'unmergeable', reason })

/** Returns the problem when a push check refuses the merge. `shown` becomes the `merge_error` of the merge request. */
const prohibited = (reason: string): MergeProblem => ({
  problem: 'unmergeable',
  reason,
  shown: `Something went wrong during merge pre-receive hook. ${reason}`,
})

interface BranchState {
  readonly tips: Tips
  readonly version: DiffVersionRow
  readonly target: string
}

/** Reads the branches. Returns undefined if one is missing or has moved, or there are no commits to merge. */
async function readBranches(
  ctx: Ctx,
  project: Project,
  request: MergeRequestRow,
): Promise<BranchState | undefined> {
  const tips = await tipsOf(ctx, project, request)
  const version = latestDiff(ctx.db, request)
  if (tips.target === null || !version || version.state === 'empty') return undefined
  return version.head_commit_sha === tips.head ? { tips, version, target: tips.target } : undefined
}

/**
 * Merges: makes the commits, moves the target branch with all push checks, and records the merge. The caller has called
 * `followBranchTips` for `before`, and then checked permission, approvals and obstacles. They are checked again only if
 * the database changes before the branch moves. `ctx` acts as the user who merges.
 */
export async function mergeNow(
  ctx: Ctx,
  project: Project,
  before: MergeRequestRow,
  options: CheckedOptions,
): Promise<MergeOutcome> {
  const repo = repoOf(ctx, project)
  const ref = `refs/heads/${before.target_branch}`
  // The endpoints that commit to a branch take the same lock.
  return ctx.git.locks.run(`${repo.key}\0${ref}`, async () => {
    for (let attempt = 1; ; attempt++) {
      const outcome = await attemptMerge(ctx, project, before, options)
      if (outcome !== 'retry') return outcome
      if (attempt === ATTEMPTS) return unmergeable('The target branch was changed in the meantime.')
    }
  })
}

async function attemptMerge(
  ctx: Ctx,
  project: Project,
  request: MergeRequestRow,
  options: CheckedOptions,
): Promise<MergeOutcome | 'retry'> {
  const state = await readBranches(ctx, project, request)
  if (!state) return unmergeable('A branch is missing, has changed, or has no new commits.')
  const { tips, version, target } = state
  if (ctx.db.generation !== options.checkedAt) {
    // A concurrent push may have made a version without approvals.
    await refreshApprovals(ctx, request, project)
    if (!isApproved(ctx, request, project)) return { problem: 'not_approved' }
  }
  const { repo } = tips
  const { tree, clean } = await mergeCommits(repo, target, version.head_commit_sha)
  if (!clean) return unmergeable('There are conflicts.')
  const squash = squashOf(project, options.squash ?? request.squash)
  const messages = { merge: options.merge_commit_message, squash: options.squash_commit_message }
  if (options.sha !== undefined && options.sha !== version.head_commit_sha) {
    // Other problems are reported before an unexpected head (spec core 5.4).
    return { problem: 'other_head', head: version.head_commit_sha }
  }
  const newCommits = await makeCommits(ctx, {
    repo,
    project,
    request,
    version,
    target,
    tree,
    squash,
    messages,
  })
  if (!newCommits) return unmergeable('The source branch has to be rebased onto the target branch.')
  const changes = [{ ref: `refs/heads/${request.target_branch}`, old: target, new: newCommits.tip }]
  const refusal = await runChecks({ ctx, project, repo, source: 'merge', changes })
  if (refusal) return prohibited(refusal.sentence)
  return lockAndMerge(ctx, project, { request, version, newCommits, changes, squash, options })
}

interface PreparedMerge {
  readonly request: MergeRequestRow
  readonly version: DiffVersionRow
  readonly newCommits: MergeCommits
  readonly changes: readonly { ref: string; old: string; new: string }[]
  readonly squash: boolean
  readonly options: CheckedOptions
}

function isBlocked(ctx: Ctx, project: Project, id: number): boolean {
  const current = store.byId(ctx.db, id)
  if (!current || !mayMergeInto(ctx, project, current.target_branch)) return true
  const obstacle = obstacleOf(ctx, current, project, { ignoreBroken: true })
  return (obstacle ?? pipelineObstacle(ctx, current, project)) !== undefined
}

/** Thrown when the merge request was merged, closed or pushed to, or became blocked, while git ran. */
class NotOpen extends Error {}

/**
 * Locks the merge request, moves the target branch, and records the merge. The transaction of the ref journal takes the
 * lock, and the transaction of the event records the merge.
 */
async function lockAndMerge(
  ctx: Ctx,
  project: Project,
  prepared: PreparedMerge,
): Promise<MergeOutcome | 'retry'> {
  const { request, newCommits, changes, squash, options } = prepared
  const { merge_commit_sha, squash_commit_sha } = newCommits
  const should_remove_source_branch = options.should_remove_source_branch
  const intent = { user_id: ctx.actor.id, to: newCommits.tip, merge_commit_sha, squash_commit_sha }
  let merged: MergeRequestRow | undefined
  const before = () => {
    const isUnchanged = ctx.db.generation === options.checkedAt
    if (!isUnchanged && isBlocked(ctx, project, request.id)) throw new NotOpen()
    if (!claim(ctx, request, { squash, should_remove_source_branch, intent })) throw new NotOpen()
  }
  const after = () => {
    const locked = store.byId(ctx.db, request.id)!
    merged = completeMerge(ctx, project, locked, { merge_commit_sha, squash_commit_sha })
  }
  return whileMerging(ctx, request.id, async () => {
    try {
      await moveRefs(ctx, project, { source: 'merge', changes, before, after })
      // Undefined when the project was deleted in the meantime.
      return merged ? { merged } : { problem: 'not_open' }
    } catch (error) {
      if (error instanceof NotOpen) return { problem: 'not_open' }
      // After any other error nobody knows whether the branch moved, so the merge request stays locked for recovery.
      if (!(error instanceof GitRefError)) throw error
      unlock(ctx, request)
      return 'retry'
    }
  })
}

/** The input for the commits of a merge. */
export interface MergePlan {
  readonly repo: Repo
  readonly project: Project
  readonly request: MergeRequestRow
  readonly version: DiffVersionRow
  /** Head of the target branch. */
  readonly target: string
  /** The merged tree. */
  readonly tree: string
  readonly squash: boolean
  readonly messages: { readonly merge?: string | undefined; readonly squash?: string | undefined }
}

/** The new head of the target branch, with the commits that the merge creates. */
export interface MergeCommits extends MergeShas {
  readonly tip: string
}

/**
 * Creates the commits of a merge, as the `merge_method` of the project requires, without moving refs. Returns null when
 * the merge method requires a rebase first. `ctx` acts as the user who merges.
 */
export async function makeCommits(ctx: Ctx, plan: MergePlan): Promise<MergeCommits | null> {
  const { repo, project, version, target } = plan
  if (project.merge_method !== 'merge' && !(await isBasedOnTarget(plan))) return null
  const squashed = plan.squash ? await squashedCommit(ctx, plan) : null
  const squash_commit_sha = squashed?.id ?? null
  const head = squashed?.id ?? version.head_commit_sha
  const merged = project.merge_method === 'ff' ? null : await mergeCommit(ctx, plan, [target, head])
  const objects = [squashed, merged].filter((object): object is NewObject => object !== null)
  await writeObjects(repo, objects)
  return { tip: merged?.id ?? head, merge_commit_sha: merged?.id ?? null, squash_commit_sha }
}

async function isBasedOnTarget({ repo, version, target }: MergePlan): Promise<boolean> {
  return version.base_commit_sha === target || isAncestor(repo, target, version.head_commit_sha)
}

async function mergeCommit(ctx: Ctx, plan: MergePlan, parents: readonly string[]): Promise<NewObject> {
  const message = plan.messages.merge || (await mergeMessage(ctx, plan.project, plan.request))
  const committer = committerOf(ctx)
  return newObject('commit', commitContent(plan.tree, { parents, message, author: committer, committer }))
}

/** Makes the squashed commit. Returns null when there is only one commit and it has the same message. */
async function squashedCommit(ctx: Ctx, plan: MergePlan): Promise<NewObject | null> {
  const { repo, request, version } = plan
  const message = plan.messages.squash || (await squashMessage(ctx, plan.project, request))
  if (version.commits_count === 1) {
    const [commit] = await readCommits(repo, [version.head_commit_sha])
    if (commit?.message === message.trimEnd()) return null
  }
  const tree = await rootTree(repo, version.head_commit_sha)
  const parent = plan.project.merge_method === 'merge' ? version.base_commit_sha : plan.target
  const people = { author: identityOf(ctx, request.author_id), committer: committerOf(ctx) }
  return newObject(
    'commit',
    commitContent(tree!, { parents: parent === null ? [] : [parent], message, ...people }),
  )
}
