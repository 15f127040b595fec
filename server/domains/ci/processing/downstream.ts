import type { Ctx } from '../../../ctx.ts'
import * as jobs from '../jobs/store.ts'
import { dropJob } from './run.ts'

/** Makes the pipeline of a trigger job that is ready, once. */
export async function makeDownstream(ctx: Ctx, jobId: number): Promise<void> {
  const bridge = jobs.byId(ctx.db, jobId)
  if (bridge?.status !== 'pending') return
  dropJob(ctx, bridge, 'downstream_pipeline_creation_failed')
}
