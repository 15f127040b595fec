import { z } from 'zod'

import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { enqueue, job, type Job } from '../../../jobs/job.ts'
import { onBehalfOf } from '../../planning/index.ts'
import { projectById, type Project } from '../../projects/index.ts'
import { refreshApprovals } from '../approvals/refresh.ts'
import { followBranchTips } from '../diffs/branches.ts'
import { eventFields, MergeFailed } from '../events.ts'
import { mayMergeInto } from '../policy.ts'
import * as store from '../store.ts'
import type { MergeRequestRow } from '../types.ts'
import { autoMergeOptionsOf, clearAutoMerge } from './auto-merge-state.ts'
import { mergeNow, type MergeOutcome } from './merge.ts'
import { headPipelineState, obstacleOf, pipelineObstacle } from './status.ts'

/** Merges a merge request automatically if the pipeline of its head succeeded and there is no other obstacle. */
export const autoMergeJob: Job<{ merge_request_id: number }> = job(
  'merge_requests.auto_merge',
  { args: { merge_request_id: z.number() } },
  async (ctx, args) => {
    const request = store.byId(ctx.db, args.merge_request_id)
    const project = request && projectById(ctx.db, request.project_id)
    if (request && project) await tryAutoMerge(ctx, project, request)
  },
)

/** Enqueues an attempt to merge automatically, if the automatic merge is enabled. */
export function requestAutoMerge(ctx: Ctx, mergeRequestId: number): void {
  const request = store.byId(ctx.db, mergeRequestId)
  if (request?.state !== 'opened' || !request.merge_when_pipeline_succeeds) return
  const key = `merge_requests.auto_merge:${mergeRequestId}`
  enqueue(ctx, autoMergeJob, { merge_request_id: mergeRequestId }, { key, once: key })
}

/** Enqueues attempts for all automatic merges with this head, after a pipeline of a project succeeded. */
export function requestAutoMerges(ctx: Ctx, projectId: number, sha: string): void {
  for (const id of store.withAutoMerge(ctx.db, projectId, sha)) requestAutoMerge(ctx, id)
}

async function tryAutoMerge(ctx: Ctx, project: Project, before: MergeRequestRow): Promise<void> {
  if (before.state !== 'opened' || !before.merge_when_pipeline_succeeds) return
  const request = await followBranchTips(ctx, project, before)
  // New commits cancel the automatic merge.
  if (!request.merge_when_pipeline_succeeds) return
  if (headPipelineState(ctx, request) !== 'success') return
  const checkedAt = ctx.db.generation
  const actorCtx = onBehalfOf(ctx, request.merge_user_id)
  if (!actorCtx || !mayMergeInto(actorCtx, project, request.target_branch)) {
    return cancelWithReason(ctx, request, 'the user who enabled it may no longer merge')
  }
  await refreshApprovals(actorCtx, request, project)
  // Obstacles that users can remove do not cancel the automatic merge.
  if (obstacleOf(actorCtx, request, project, { ignoreBroken: true })) return
  if (pipelineObstacle(actorCtx, request, project)) return
  const options = { ...autoMergeOptionsOf(request), checkedAt }
  const problem = problemOf(await mergeNow(actorCtx, project, request, options))
  if (problem) cancelWithReason(actorCtx, request, problem)
}

function problemOf(outcome: MergeOutcome): string | undefined {
  if ('merged' in outcome || outcome.problem === 'not_open') return undefined
  // Users can still approve, so this does not cancel the automatic merge.
  if (outcome.problem === 'not_approved') return undefined
  return outcome.problem === 'other_head' ? 'source branch was updated' : 'it cannot be merged'
}

function cancelWithReason(ctx: Ctx, before: MergeRequestRow, reason: string): void {
  tx(ctx.db, () => {
    const request = store.byId(ctx.db, before.id)
    if (request?.state !== 'opened') return
    clearAutoMerge(ctx, request, reason)
    store.update(ctx.db, request.id, { merge_error: `The automatic merge was aborted because ${reason}.` })
    publish(ctx, MergeFailed, { ...eventFields(ctx, request), reason })
  })
}
