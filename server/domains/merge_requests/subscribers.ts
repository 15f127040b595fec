import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import { on, type Subscription } from '../../events/publish.ts'
import { DeploymentChanged, PipelineChanged } from '../ci/events.ts'
import { stopEnvironmentsOf } from '../ci/index.ts'
import { NoteUpdated } from '../discussions/events.ts'
import { ForkUnlinked } from '../import_export/events.ts'
import { onBehalfOf } from '../planning/index.ts'
import { ProjectDeleted } from '../projects/events.ts'
import { projectById } from '../projects/index.ts'
import { RefsUpdated } from '../repository/events.ts'
import { updateApprovals } from './approvals/reset.ts'
import { ensureVersion } from './diffs/branches.ts'
import { requestFollow } from './diffs/jobs.ts'
import { followPush } from './diffs/pushes.ts'
import { removeRefs } from './diffs/version.ts'
import { markUnchecked } from './diffs/store.ts'
import {
  MergeRequestApproved,
  MergeRequestClosed,
  MergeRequestCreated,
  MergeRequestDeleted,
  MergeRequestMerged,
  MergeRequestPushed,
  MergeRequestReopened,
  MergeRequestUpdated,
} from './events.ts'
import { clearAutoMerge } from './merging/auto-merge-state.ts'
import { requestAutoMerge, requestAutoMerges } from './merging/auto-merge.ts'
import { requestCheck } from './merging/check.ts'
import { createVersionPipeline } from './pipelines/service.ts'
import { actingAs } from './policy.ts'
import { movePositions } from './review/positions/follow.ts'
import { refreshClosingIssues } from './service-closing.ts'
import { linkDeployment } from './service-deployments.ts'
import { closeBetween, closeOrphans } from './service-state.ts'
import * as store from './store.ts'

interface RequestEvent {
  readonly merge_request_id: number
  readonly actor_id: number | null
}

const general: Subscription[] = [
  on(MergeRequestPushed, 'merge_requests.read_promises', async (ctx, event) => {
    const project = projectById(ctx.db, event.project_id)
    if (project) await refreshClosingIssues(ctx, project, event.merge_request_id)
  }),
  on(MergeRequestDeleted, 'merge_requests.remove_refs', removeRefs),
  on(ForkUnlinked, 'merge_requests.close_between', closeBetween),
  on(ProjectDeleted, 'merge_requests.close_orphans', closeOrphans),
]

async function makeFirstVersion(ctx: Ctx, id: number): Promise<void> {
  const request = store.byId(ctx.db, id)
  const project = request && projectById(ctx.db, request.project_id)
  if (project) await ensureVersion(ctx, project, request)
}

/** Resets the merge status and the automatic merge, which belong to the old target branch, and follows the new one. */
function followTargetChange(ctx: Ctx, event: RequestEvent): void {
  tx(ctx.db, () => {
    const request = store.byId(ctx.db, event.merge_request_id)
    if (!request) return
    markUnchecked(ctx.db, [request.id])
    clearAutoMerge(actingAs(ctx, event.actor_id), request, 'target branch was changed')
    const { merge_request_id, actor_id } = event
    requestFollow(ctx, { merge_request_id, actor_id, rebase: true })
  })
}

const versions: Subscription[] = [
  on(MergeRequestCreated, 'merge_requests.first_version', (ctx, event) =>
    makeFirstVersion(ctx, event.merge_request_id),
  ),
  on(MergeRequestReopened, 'merge_requests.catch_up', (ctx, event) => {
    // The branches of a closed merge request may have moved.
    markUnchecked(ctx.db, [event.merge_request_id])
    requestFollow(ctx, event)
  }),
  on(MergeRequestUpdated, 'merge_requests.new_target', (ctx, event) => {
    if (event.changed.includes('target_branch')) followTargetChange(ctx, event)
  }),
  on(RefsUpdated, 'merge_requests.follow_push', (ctx, event) => followPush(ctx, event)),
]

const merging: Subscription[] = [
  // Clients will soon ask for the merge status, so its check starts now.
  on(MergeRequestPushed, 'merge_requests.check_version', (ctx, event) => {
    const request = store.byId(ctx.db, event.merge_request_id)
    if (request) requestCheck(ctx, request)
  }),
  // Each of the next three events may remove the last obstacle of an automatic merge.
  on(MergeRequestApproved, 'merge_requests.auto_merge_approved', (ctx, event) =>
    requestAutoMerge(ctx, event.merge_request_id),
  ),
  on(MergeRequestUpdated, 'merge_requests.auto_merge_updated', (ctx, event) => {
    if (event.changed.includes('title')) requestAutoMerge(ctx, event.merge_request_id)
  }),
  on(NoteUpdated, 'merge_requests.auto_merge_resolved', (ctx, event) => {
    const isOnRequest = event.noteable_type === 'MergeRequest' && event.noteable_id !== null
    if (isOnRequest && event.changed.includes('resolved_at')) requestAutoMerge(ctx, event.noteable_id!)
  }),
  on(MergeRequestClosed, 'merge_requests.call_auto_merge_off', (ctx, event) => {
    tx(ctx.db, () => {
      const request = store.byId(ctx.db, event.merge_request_id)
      if (request?.state !== 'closed') return
      clearAutoMerge(actingAs(ctx, event.actor_id), request, 'merge request was closed')
    })
  }),
]

const pipelines: Subscription[] = [
  on(MergeRequestPushed, 'merge_requests.make_pipeline', async (ctx, event) => {
    // A new base for the same head needs no new pipeline.
    if (event.old_head === event.new_head) return
    const request = store.byId(ctx.db, event.merge_request_id)
    const project = request && projectById(ctx.db, request.project_id)
    // The actor is unknown if a read request updated the branch before the job of the push ran.
    const actorCtx = request && onBehalfOf(ctx, event.actor_id ?? request.author_id)
    if (!request || !project || !actorCtx || request.head_sha !== event.new_head) return
    await createVersionPipeline(actorCtx, project, request)
  }),
  on(
    PipelineChanged,
    'merge_requests.auto_merge',
    (ctx, event) => requestAutoMerges(ctx, event.project_id, event.sha),
    {
      only: (event) => event.status === 'success',
    },
  ),
]

/** Stops the environments of a merged or closed merge request (spec ci 5.3). */
function stopEnvironments(ctx: Ctx, event: RequestEvent): void {
  const request = store.byId(ctx.db, event.merge_request_id)
  const actorCtx = onBehalfOf(ctx, event.actor_id)
  // The merge request may have been reopened in the meantime.
  if (!request || !actorCtx || request.state === 'opened') return
  const ids = new Set([request.project_id, request.source_project_id ?? request.project_id])
  for (const id of ids) {
    const project = projectById(ctx.db, id)
    if (project) stopEnvironmentsOf(actorCtx, project, { merge_request_id: request.id })
  }
}

const deployments: Subscription[] = [
  on(DeploymentChanged, 'merge_requests.link_deployment', async (ctx, event) => {
    if (event.status === 'success') await linkDeployment(ctx, event)
  }),
  on(MergeRequestMerged, 'merge_requests.stop_environments_merged', stopEnvironments),
  on(MergeRequestClosed, 'merge_requests.stop_environments_closed', stopEnvironments),
]

const review: Subscription[] = [
  // One job at a time for each merge request, so that positions follow the versions in order.
  on(MergeRequestPushed, 'review.move_positions', (ctx, event) => movePositions(ctx, event), {
    key: (event) => `review.move_positions:${event.merge_request_id}`,
  }),
]

const approvals: Subscription[] = [
  on(MergeRequestCreated, 'approvals.ask', (ctx, { merge_request_id, actor_id }) =>
    updateApprovals(ctx, merge_request_id, '', actor_id),
  ),
  on(MergeRequestReopened, 'approvals.ask_again', (ctx, { merge_request_id, actor_id }) =>
    updateApprovals(ctx, merge_request_id, '', actor_id),
  ),
  on(MergeRequestPushed, 'approvals.follow_push', (ctx, { merge_request_id, actor_id }) =>
    updateApprovals(ctx, merge_request_id, 'by pushing to the branch', actor_id),
  ),
  on(MergeRequestUpdated, 'approvals.follow_target', (ctx, { merge_request_id, actor_id, changed }) =>
    changed.includes('target_branch')
      ? updateApprovals(ctx, merge_request_id, 'by changing the target branch', actor_id)
      : undefined,
  ),
]

export const subscribers: Subscription[] = [
  ...general,
  ...versions,
  ...merging,
  ...pipelines,
  ...deployments,
  ...review,
  ...approvals,
]
