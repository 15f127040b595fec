import type { Ctx } from '../../../ctx.ts'
import * as jobs from '../jobs/store.ts'
import type { JobRow } from '../jobs/store.ts'
import type { PipelineRow } from '../pipelines/store.ts'
import { cancelAfterFailure } from './cancel.ts'
import { changeJob, type JobChanges } from './change.ts'
import { processPipeline } from './process.ts'
import { resetAfter } from './reset.ts'
import { isOver } from './statuses.ts'

/**
 * Takes the trigger job of a pipeline along where it was asked to follow (`strategy: depend`; spec ci 2.4): success is
 * success, every other end a failure. A pipeline that runs again after its end opens the trigger job again.
 */
export function followDownstream(ctx: Ctx, pipeline: PipelineRow, previous: string): void {
  if (pipeline.upstream_job_id === null) return
  const bridge = jobs.byId(ctx.db, pipeline.upstream_job_id)
  if (bridge?.kind !== 'bridge' || !bridge.follows_downstream || bridge.retried) return
  const changes = isOver(bridge.status)
    ? reopened(ctx, pipeline, previous)
    : changesOf(ctx, bridge, pipeline.status)
  if (!changes) return
  const changed = changeJob(ctx, bridge, changes)
  if (isOver(bridge.status)) resetAfter(ctx, changed)
  else if (changed.status === 'failed' && !changed.allow_failure) cancelAfterFailure(ctx, changed)
  processPipeline(ctx, bridge.pipeline_id)
}

/** What a trigger job that follows becomes by the status of its pipeline; undefined where it stays as it is. */
export function changesOf(ctx: Ctx, bridge: JobRow, status: string): JobChanges | undefined {
  const started_at = bridge.started_at ?? ctx.now
  if (status === 'success') return { status: 'success', started_at, finished_at: ctx.now }
  if (isOver(status)) {
    return { status: 'failed', failure_reason: 'unknown_failure', started_at, finished_at: ctx.now }
  }
  return bridge.status === 'running' ? undefined : { status: 'running', started_at }
}

function reopened(ctx: Ctx, { status }: PipelineRow, previous: string): JobChanges | undefined {
  if (!isOver(previous) || isOver(status)) return undefined
  return { status: 'running', started_at: ctx.now, finished_at: null, failure_reason: null }
}
