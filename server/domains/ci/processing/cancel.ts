import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { addDays } from '../../../lib/clock.ts'
import type { Project } from '../../projects/index.ts'
import * as jobs from '../jobs/store.ts'
import type { JobRow } from '../jobs/store.ts'
import type { PipelineRow } from '../pipelines/store.ts'
import { cancelChildren, cancelJobsOf, cancelOne, processPipeline } from './state.ts'
import * as store from './store.ts'

/**
 * Cancels a job: at once, or where its runner can end the work in good order, through `canceling` (spec ci 1.11). A second
 * cancel ends a job that is `canceling`. A job that is over stays as it is.
 */
export function cancelJob(ctx: Ctx, job: Pick<JobRow, 'id'>): JobRow {
  return tx(ctx.db, () => {
    const row = cancelOne(ctx, jobs.byId(ctx.db, job.id)!)
    if (row.kind === 'bridge') cancelChildren(ctx, row.pipeline_id, row.id)
    processPipeline(ctx, row.pipeline_id)
    return jobs.byId(ctx.db, row.id)!
  })
}

/** Older pipelines than this are not redundant. */
const DAYS = 7

/**
 * Cancels what a new pipeline makes redundant: pipelines of older commits of its ref, and their children, in a project
 * with auto-cancel (spec ci 2.5). To be called in the transaction that creates the pipeline.
 */
export function cancelRedundant(ctx: Ctx, project: Project, pipeline: PipelineRow): void {
  if (project.auto_cancel_pending_pipelines !== 'enabled' || pipeline.source === 'parent_pipeline') return
  for (const { id, rule, is_bound } of store.redundantTo(ctx.db, pipeline, addDays(ctx.now, -DAYS))) {
    if (rule === 'none') continue
    if (rule === 'interruptible') cancelJobsOf(ctx, id, (job) => job.interruptible)
    else if (is_bound === 0) cancelJobsOf(ctx, id, (job) => job.kind !== 'external')
  }
}
