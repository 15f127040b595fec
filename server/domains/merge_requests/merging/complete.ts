import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { isAncestor } from '../../../git/read/graph.ts'
import { listCommitIds } from '../../../git/read/log.ts'
import { branchTip } from '../../../git/read/revisions.ts'
import { columnChanges } from '../../../lib/column-changes.ts'
import { issuableOf, recordState } from '../../planning/index.ts'
import { projectById, repoOf, type Project } from '../../projects/index.ts'
import { freezeApprovals } from '../approvals/state.ts'
import { eventFields, MergeRequestMerged } from '../events.ts'
import { actingAs } from '../policy.ts'
import { closeIssues } from '../service-closing.ts'
import * as store from '../store.ts'
import type { MergeRequestRow } from '../types.ts'
import { intentOf, isMerging, unlock } from './claim.ts'
import { requestRemoval } from './source-branch.ts'

/** The commits that a merge created. */
export interface MergeShas {
  readonly merge_commit_sha: string | null
  readonly squash_commit_sha: string | null
}

/**
 * Records a merge: freezes the approvals, closes issues, and requests the removal of the source branch if a user chose
 * it. Call it in a transaction. `ctx` acts as the user who merged.
 */
export function completeMerge(
  ctx: Ctx,
  project: Project,
  request: MergeRequestRow,
  shas: MergeShas,
): MergeRequestRow {
  freezeApprovals(ctx, request)
  const merged = store.update(ctx.db, request.id, {
    ...shas,
    state: 'merged',
    merged_at: ctx.now,
    merge_user_id: ctx.actor.id,
    merge_status: 'can_be_merged',
    merge_error: null,
    merge_params: null,
    merge_when_pipeline_succeeds: false,
    rebase_in_progress: false,
    updated_at: ctx.now,
    updated_by_id: ctx.actor.id,
  })
  recordState(ctx, issuableOf('MergeRequest', merged), 'merged')
  const changes = columnChanges(request, merged)
  publish(ctx, MergeRequestMerged, { ...eventFields(ctx, merged), ...shas, changes })
  closeIssues(ctx, project, merged)
  requestRemoval(ctx, merged)
  return merged
}

/** The maximum number of commits of the target branch that are searched for the merge commit. */
const MAX_SEARCHED = 20_000

/**
 * Records a merge request as merged after its head reached the target branch by a push. `ctx` acts as the user who
 * pushed.
 */
export async function recordManualMerge(
  ctx: Ctx,
  project: Project,
  request: MergeRequestRow,
  tip: string,
): Promise<void> {
  const merge_commit_sha = await findMergeCommit(ctx, project, request.head_sha!, tip)
  tx(ctx.db, () => {
    const current = store.byId(ctx.db, request.id)
    if (current?.state !== 'opened' || current.head_sha !== request.head_sha) return
    completeMerge(ctx, project, current, { merge_commit_sha, squash_commit_sha: null })
  })
}

/**
 * Finds the oldest commit in the first-parent history of the target branch that contains the head: a merge commit, or
 * the head itself.
 */
async function findMergeCommit(ctx: Ctx, project: Project, head: string, tip: string): Promise<string> {
  const repo = repoOf(ctx, project)
  const range = { tips: [tip], not: [head] }
  const commits = await listCommitIds(repo, range, { limit: MAX_SEARCHED, firstParent: true })
  // The commits are ordered: those that contain the head come before those that do not.
  let [low, high] = [0, commits.length]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (await isAncestor(repo, head, commits[middle]!)) low = middle + 1
    else high = middle
  }
  return low === 0 ? head : commits[low - 1]!
}

/**
 * Recovers interrupted merges, for example after a crash. Records the merge if the target branch has already moved, and
 * reopens the merge request otherwise. Call it at the start, after the recovery of the ref journal, and regularly.
 */
export async function recoverMerges(ctx: Ctx): Promise<void> {
  for (const request of store.lockedRequests(ctx.db)) {
    if (isMerging(ctx, request.id)) continue
    try {
      await recoverMerge(ctx, request)
    } catch (error) {
      // A damaged repository must not prevent the start of the instance.
      ctx.log.error(
        { err: error, merge_request_id: request.id },
        'an interrupted merge could not be recovered',
      )
    }
  }
}

async function recoverMerge(ctx: Ctx, request: MergeRequestRow): Promise<void> {
  const project = projectById(ctx.db, request.project_id)
  const intent = intentOf(request)
  if (!project || !intent) return unlock(ctx, request)
  const repo = repoOf(ctx, project)
  const tip = await branchTip(repo, request.target_branch)
  const isDone = tip !== null && (await isAncestor(repo, intent.to, tip))
  if (!isDone) return unlock(ctx, request)
  tx(ctx.db, () => {
    const current = store.byId(ctx.db, request.id)
    if (current?.state !== 'locked') return
    const { merge_commit_sha, squash_commit_sha } = intent
    const actorCtx = actingAs(ctx, intent.user_id)
    completeMerge(actorCtx, project, current, { merge_commit_sha, squash_commit_sha })
  })
}
