import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import * as jobs from '../jobs/store.ts'
import type { JobRow } from '../jobs/store.ts'
import * as pipelines from '../pipelines/store.ts'
import type { PipelineRow } from '../pipelines/store.ts'
import { changeJob } from './change.ts'
import { processPipeline } from './process.ts'
import { isCancelableStatus } from './statuses.ts'
import * as store from './store.ts'

/**
 * Calls a job off: at once, or where its runner said that it can end its work in good order, by way of `canceling` (spec
 * ci 1.11). Called off again, a job that is `canceling` is over. One that cannot be called off stays as it is.
 */
export function cancelJob(ctx: Ctx, job: Pick<JobRow, 'id'>): JobRow {
  return tx(ctx.db, () => {
    const row = callOff(ctx, jobs.byId(ctx.db, job.id)!)
    if (row.kind === 'bridge') cancelChildren(ctx, row.pipeline_id, row.id)
    processPipeline(ctx, row.pipeline_id)
    return jobs.byId(ctx.db, row.id)!
  })
}

/** Calls off every job of a pipeline that is not over, and of the pipelines that it made in its project. */
export function cancelPipeline(ctx: Ctx, pipeline: Pick<PipelineRow, 'id'>): PipelineRow {
  return tx(ctx.db, () => {
    cancelJobsOf(ctx, pipeline.id, () => true)
    cancelChildren(ctx, pipeline.id)
    return pipelines.byId(ctx.db, pipeline.id)!
  })
}

/** Calls off those jobs of a pipeline that are not over and `isMeant`. To be called in a transaction. */
export function cancelJobsOf(ctx: Ctx, pipelineId: number, isMeant: (job: JobRow) => boolean): void {
  const open = store.newestIn(ctx.db, pipelineId, CANCELABLE).filter(isMeant)
  // Who holds a resource comes last, so that it does not go to a job that is called off next.
  for (const job of open.toSorted((a, b) => Number(a.holds_resource) - Number(b.holds_resource)))
    callOff(ctx, job)
  processPipeline(ctx, pipelineId)
}

const CANCELABLE = ['created', 'waiting_for_resource', 'preparing', 'pending', 'running', 'scheduled']

/** Where a pipeline says `on_job_failure: all`, one failure calls off the rest of it. */
export function cancelAfterFailure(ctx: Ctx, failed: JobRow): void {
  const pipeline = pipelines.byId(ctx.db, failed.pipeline_id)!
  const { on_job_failure } = JSON.parse(pipeline.auto_cancel) as { on_job_failure?: string }
  if (on_job_failure === 'all') cancelPipeline(ctx, pipeline)
}

function callOff(ctx: Ctx, job: JobRow): JobRow {
  if (job.status === 'running' && endsGracefully(ctx, job))
    return changeJob(ctx, job, { status: 'canceling' })
  if (job.status !== 'canceling' && !isCancelableStatus(job.status)) return job
  return changeJob(ctx, job, { status: 'canceled', finished_at: ctx.now, scheduled_at: null })
}

function endsGracefully(ctx: Ctx, { runner_id }: JobRow): boolean {
  if (runner_id === null) return false
  return (
    ctx.db.one(
      "SELECT 1 FROM runners WHERE id = ? AND json_extract(features, '$.cancel_gracefully')",
      runner_id,
    ) !== undefined
  )
}

/** Calls off what a pipeline, or one trigger job of it, made in its own project. */
function cancelChildren(ctx: Ctx, pipelineId: number, bridgeId?: number): void {
  const children = ctx.db.many<{ id: number; upstream_job_id: number | null }>(
    `SELECT id, upstream_job_id FROM ci_pipelines WHERE upstream_pipeline_id = ? AND source = 'parent_pipeline'`,
    pipelineId,
  )
  for (const child of children) {
    if (bridgeId === undefined || child.upstream_job_id === bridgeId) cancelPipeline(ctx, child)
  }
}
