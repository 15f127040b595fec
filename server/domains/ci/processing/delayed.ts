import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import * as jobs from '../jobs/store.ts'
import { enqueueJob } from './enqueue.ts'
import { processPipeline } from './process.ts'
import { dropJob } from './run.ts'

/** A delayed job that is later than this does not begin any more (spec ci 2.5). */
const STALE_MS = 3_600_000

/** Starts a delayed job whose time has come; one that is an hour late fails. Any other is left alone. */
export function startDelayed(ctx: Ctx, jobId: number): void {
  tx(ctx.db, () => {
    const job = jobs.byId(ctx.db, jobId)
    if (job?.status !== 'scheduled' || job.scheduled_at === null || job.scheduled_at > ctx.now) return
    if (Date.parse(ctx.now) - Date.parse(job.scheduled_at) > STALE_MS) {
      dropJob(ctx, job, 'stale_schedule')
      return
    }
    enqueueJob(ctx, job)
    processPipeline(ctx, job.pipeline_id)
  })
}
