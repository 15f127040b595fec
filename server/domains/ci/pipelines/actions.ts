import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { fail } from '../../../lib/fail.ts'
import type { Project } from '../../projects/index.ts'
import { changeDeployment } from '../environments/deployments/service.ts'
import { openOfPipeline } from '../environments/deployments/store.ts'
import { PipelineDeleted } from '../events.ts'
import * as jobs from '../jobs/store.ts'
import { cancelJob } from '../processing/cancel.ts'
import { cancelPipeline } from '../processing/state.ts'
import { retryPipeline } from '../processing/rerun.ts'
import { mayChange } from '../processing/policy.ts'
import * as store from './store.ts'
import type { PipelineRow } from './store.ts'

/** Cancels the jobs of a pipeline that are not over. Throws 403 for protected branches and tags. */
export function cancel(ctx: Ctx, owner: Project, row: PipelineRow): PipelineRow {
  if (!mayChange(ctx, owner, row)) throw fail('forbidden')
  return cancelPipeline(ctx, row)
}

/** Runs failed and canceled jobs of a pipeline again. Throws 403 for protected branches and tags. */
export function retry(ctx: Ctx, owner: Project, row: PipelineRow): PipelineRow {
  if (!mayChange(ctx, owner, row)) throw fail('forbidden')
  return retryPipeline(ctx, row)
}

/**
 * Deletes a pipeline and its child pipelines, with their jobs. Running jobs are canceled first, so that their runners stop;
 * files are removed with their rows.
 */
export function deletePipeline(ctx: Ctx, row: PipelineRow): void {
  tx(ctx.db, () => {
    for (const child of store.childrenOf(ctx.db, row)) deletePipeline(ctx, child)
    cancelPipeline(ctx, row)
    // A second cancel ends jobs without waiting for their runner.
    for (const job of jobs.ofPipeline(ctx.db, row.id)) if (job.status === 'canceling') cancelJob(ctx, job)
    // Subscribers cannot do this later, because the jobs are deleted.
    for (const open of openOfPipeline(ctx.db, row.id)) changeDeployment(ctx, open, 'canceled')
    store.remove(ctx.db, row.id)
    publish(ctx, PipelineDeleted, {
      project_id: row.project_id,
      pipeline_id: row.id,
      actor_id: ctx.actor.id,
    })
  })
}
