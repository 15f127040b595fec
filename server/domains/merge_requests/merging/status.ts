import type { Ctx } from '../../../ctx.ts'
import { openThreads } from '../../discussions/index.ts'
import type { Project } from '../../projects/index.ts'
import { isApproved } from '../approvals/state.ts'
import { latestDiff } from '../diffs/store.ts'
import { headPipeline } from '../pipelines/store.ts'
import type { MergeRequestRow } from '../types.ts'

/** The values of `detailed_merge_status` (spec core 5.1). */
export type DetailedStatus =
  | 'checking'
  | 'unchecked'
  | 'not_open'
  | 'draft_status'
  | 'broken_status'
  | 'discussions_not_resolved'
  | 'not_approved'
  | 'ci_still_running'
  | 'ci_must_pass'
  | 'mergeable'

/** Returns the first obstacle of a merge, or `mergeable` (spec core 5.1). */
export function detailedStatus(ctx: Ctx, request: MergeRequestRow, project: Project): DetailedStatus {
  if (request.merge_status === 'checking' || request.merge_status === 'preparing') return 'checking'
  if (request.merge_status === 'unchecked') return 'unchecked'
  const obstacle = obstacleOf(ctx, request, project, { ignoreBroken: false })
  if (obstacle) return obstacle
  return pipelineObstacle(ctx, request, project) ?? 'mergeable'
}

/**
 * Returns the first obstacle of a merge, except pipelines. `ignoreBroken` skips the stored merge status, for callers
 * that check with git next.
 */
export function obstacleOf(
  ctx: Ctx,
  request: MergeRequestRow,
  project: Project,
  { ignoreBroken }: { ignoreBroken: boolean },
): DetailedStatus | undefined {
  if (request.state !== 'opened') return 'not_open'
  if (request.draft === 1) return 'draft_status'
  if (!ignoreBroken && isBroken(ctx, request, project)) return 'broken_status'
  if (
    project.only_allow_merge_if_all_discussions_are_resolved &&
    openThreads(ctx.db, 'MergeRequest', request.id) > 0
  ) {
    return 'discussions_not_resolved'
  }
  return isApproved(ctx, request, project) ? undefined : 'not_approved'
}

/** Returns the obstacle of the pipeline, if the project requires its success. */
export function pipelineObstacle(
  ctx: Ctx,
  request: MergeRequestRow,
  project: Project,
): 'ci_still_running' | 'ci_must_pass' | undefined {
  if (!project.only_allow_merge_if_pipeline_succeeds) return undefined
  const state = headPipelineState(ctx, request)
  if (state === 'running') return 'ci_still_running'
  const suffices =
    state === 'success' || (state === 'skipped' && project.allow_merge_on_skipped_pipeline === true)
  return suffices ? undefined : 'ci_must_pass'
}

/** Whether git cannot merge: no commits, a missing branch, a conflict, or a rebase that is needed first. */
function isBroken(ctx: Ctx, request: MergeRequestRow, project: Project): boolean {
  if (request.merge_status !== 'can_be_merged') return true
  return needsRebase(ctx, request, project)
}

/** Whether the merge method requires a rebase onto the target branch first. */
export function needsRebase(ctx: Pick<Ctx, 'db'>, request: MergeRequestRow, project: Project): boolean {
  if (project.merge_method === 'merge') return false
  const version = latestDiff(ctx.db, request)
  return version === undefined || version.base_commit_sha !== request.checked_target_sha
}

/**
 * The state of the head pipeline: `none` without a pipeline, `blocked` while it waits for a user or for a scheduled
 * time.
 */
export type PipelineState = 'none' | 'running' | 'success' | 'failed' | 'canceled' | 'skipped' | 'blocked'
const STATES: Readonly<Record<string, PipelineState>> = {
  success: 'success',
  failed: 'failed',
  canceled: 'canceled',
  skipped: 'skipped',
  manual: 'blocked',
  scheduled: 'blocked',
}

/** Returns the state of the head pipeline. */
export function headPipelineState(ctx: Pick<Ctx, 'db'>, request: MergeRequestRow): PipelineState {
  const row = headPipeline(ctx.db, request)
  return row === undefined ? 'none' : (STATES[row.status] ?? 'running')
}
