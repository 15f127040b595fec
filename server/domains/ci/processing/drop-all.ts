import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { processPipeline } from './process.ts'
import { endJob } from './run.ts'
import * as store from './store.ts'

const ALIVE = ['created', 'waiting_for_resource', 'preparing', 'pending', 'running', 'canceling', 'scheduled']

/** Ends all jobs of a user's pipelines, or of a project, for one reason; pipeline by pipeline, so that none takes long. */
export function dropJobsOf(
  ctx: Ctx,
  whose: { readonly user_id: number } | { readonly project_id: number },
  reason: string,
): void {
  const [column, id] = 'user_id' in whose ? ['user_id', whose.user_id] : ['project_id', whose.project_id]
  const open = ctx.db.many<{ id: number }>(
    `SELECT id FROM ci_pipelines WHERE ${column} = ? AND status NOT IN ('success', 'failed', 'canceled', 'skipped')`,
    id,
  )
  for (const pipeline of open) tx(ctx.db, () => dropJobsIn(ctx, pipeline.id, reason))
}

function dropJobsIn(ctx: Ctx, pipelineId: number, reason: string): void {
  const open = store.newestIn(ctx.db, pipelineId, ALIVE).filter(({ kind }) => kind !== 'external')
  // Who holds a resource comes last, so that it does not go to a job that ends next.
  for (const job of open.toSorted((a, b) => Number(a.holds_resource) - Number(b.holds_resource))) {
    endJob(ctx, job, { status: 'failed', failure_reason: reason })
  }
  processPipeline(ctx, pipelineId)
}
