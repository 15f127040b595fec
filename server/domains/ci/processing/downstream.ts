import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import * as jobs from '../jobs/store.ts'
import type { JobRow } from '../jobs/store.ts'
import { createDownstream, DownstreamRefused } from '../pipelines/creation/downstream.ts'
import type { PipelineRow } from '../pipelines/store.ts'
import * as pipelines from '../pipelines/store.ts'
import { cancelPipeline } from './cancel.ts'
import { changeJob } from './change.ts'
import { changesOf } from './follow.ts'
import { mirror } from './mirror.ts'
import { processPipeline } from './process.ts'
import { dropJob } from './run.ts'
import * as store from './store.ts'

/** Makes the pipeline of a trigger job that is ready; the job is done with it, or follows it (spec ci 2.4). */
export async function makeDownstream(ctx: Ctx, jobId: number): Promise<void> {
  const bridge = jobs.byId(ctx.db, jobId)
  const upstream = store.option<string>(ctx.db, jobId, 'other_needs.bridge')
  if (upstream !== null && store.option(ctx.db, jobId, 'trigger') === null)
    return mirror(ctx, jobId, upstream)
  if (bridge?.status !== 'pending') return
  const made = await madeFor(ctx, bridge)
  if (made instanceof DownstreamRefused) refuse(ctx, bridge, made)
  else settleBridge(ctx, jobId, made)
}

/** The pipeline, or why there is none. */
async function madeFor(ctx: Ctx, bridge: JobRow): Promise<PipelineRow | DownstreamRefused> {
  try {
    return await createDownstream(ctx, bridge)
  } catch (error) {
    if (error instanceof DownstreamRefused) return error
    // Whatever it was, nobody waits for this job forever.
    ctx.log.error({ err: error, job_id: bridge.id }, 'a downstream pipeline could not be made')
    return new DownstreamRefused('downstream_pipeline_creation_failed')
  }
}

const MAX_WHY = 1000

/** Fails the trigger job, and notes what its pipeline was refused with. */
function refuse(ctx: Ctx, { id }: JobRow, { reason, texts }: DownstreamRefused): void {
  tx(ctx.db, () => {
    if (texts.length > 0) {
      ctx.db.exec('UPDATE ci_jobs SET description = ? WHERE id = ?', texts.join(', ').slice(0, MAX_WHY), id)
    }
    dropJob(ctx, { id }, reason)
  })
}

function settleBridge(ctx: Ctx, jobId: number, made: PipelineRow): void {
  tx(ctx.db, () => {
    const bridge = jobs.byId(ctx.db, jobId)
    if (bridge?.status === 'canceled') cancelPipeline(ctx, made)
    // One that follows may have been taken along already, while its pipeline was made.
    if (bridge?.status !== 'pending') return
    const { status } = pipelines.byId(ctx.db, made.id)!
    const done = { status: 'success', started_at: ctx.now, finished_at: ctx.now }
    changeJob(ctx, bridge, bridge.follows_downstream ? changesOf(ctx, bridge, status)! : done)
    processPipeline(ctx, bridge.pipeline_id)
  })
}
