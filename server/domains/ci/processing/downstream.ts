import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { enqueue } from '../../../jobs/job.ts'
import { canRead } from '../../../policy/ability.ts'
import { onBehalfOf } from '../../planning/index.ts'
import { findProject, project as scope } from '../../projects/index.ts'
import * as jobs from '../jobs/store.ts'
import type { JobRow } from '../jobs/store.ts'
import { createDownstream, DownstreamRefused } from '../pipelines/creation/downstream.ts'
import type { PipelineRow } from '../pipelines/store.ts'
import * as pipelines from '../pipelines/store.ts'
import { upstreamStatusJob, cancelPipeline, changeJob, followingChanges, processPipeline } from './state.ts'
import { dropJob } from './run.ts'
import { isFinished } from './status.ts'
import * as store from './store.ts'

/**
 * Creates the pipeline of a pending trigger job (spec ci 2.4). Then the job has finished, or it follows the pipeline. For
 * a job with `needs: pipeline` it takes over the status of the upstream pipeline instead.
 */
export async function makeDownstream(ctx: Ctx, jobId: number): Promise<void> {
  const bridge = jobs.byId(ctx.db, jobId)
  const upstream = store.option<string>(ctx.db, jobId, 'other_needs.bridge')
  if (upstream !== null && store.option(ctx.db, jobId, 'trigger') === null)
    return followUpstream(ctx, jobId, upstream)
  if (bridge?.status !== 'pending') return
  const result = await tryDownstream(ctx, bridge)
  if (result instanceof DownstreamRefused) failBridge(ctx, bridge, result)
  else updateBridge(ctx, jobId, result)
}

/** Creates the pipeline, or returns the error. */
async function tryDownstream(ctx: Ctx, bridge: JobRow): Promise<PipelineRow | DownstreamRefused> {
  try {
    return await createDownstream(ctx, bridge)
  } catch (error) {
    if (error instanceof DownstreamRefused) return error
    // The job must end after any other error, too.
    ctx.log.error({ err: error, job_id: bridge.id }, 'a downstream pipeline could not be created')
    return new DownstreamRefused('downstream_pipeline_creation_failed')
  }
}

const MAX_DESCRIPTION = 1000

/** Fails the trigger job, and stores the error messages. */
function failBridge(ctx: Ctx, { id }: JobRow, { reason, texts }: DownstreamRefused): void {
  tx(ctx.db, () => {
    if (texts.length > 0) store.setDescription(ctx.db, id, texts.join(', ').slice(0, MAX_DESCRIPTION))
    dropJob(ctx, { id }, reason)
  })
}

/** Updates the trigger job after its pipeline was created. */
function updateBridge(ctx: Ctx, jobId: number, downstream: PipelineRow): void {
  tx(ctx.db, () => {
    const bridge = jobs.byId(ctx.db, jobId)
    if (bridge?.status === 'canceled') cancelPipeline(ctx, downstream)
    // The job may have changed while the pipeline was created.
    if (bridge?.status !== 'pending') return
    const { status } = pipelines.byId(ctx.db, downstream.id)!
    const success = { status: 'success' as const, started_at: ctx.now, finished_at: ctx.now }
    changeJob(ctx, bridge, bridge.follows_downstream ? followingChanges(ctx, bridge, status)! : success)
    processPipeline(ctx, bridge.pipeline_id)
  })
}

/** The interval in milliseconds at which an unfinished upstream pipeline is checked. */
const PAUSE_MS = 10_000

/**
 * Gives a job the status of the newest pipeline of another project's default branch (`needs: pipeline`). Until that
 * pipeline has finished, it enqueues the next check. The user who started the job must be able to see the project.
 */
function followUpstream(ctx: Ctx, jobId: number, path: string): void {
  tx(ctx.db, () => {
    const bridge = jobs.byId(ctx.db, jobId)
    if (bridge?.status !== 'pending' && bridge?.status !== 'running') return
    const status = upstreamStatus(ctx, bridge, path)
    if (status === undefined) {
      dropJob(ctx, bridge, 'downstream_bridge_project_not_found')
      return
    }
    const changes = followingChanges(ctx, bridge, status)
    if (changes) changeJob(ctx, bridge, changes)
    if (!isFinished(status)) enqueue(ctx, upstreamStatusJob, { job_id: jobId }, { delay: PAUSE_MS })
    processPipeline(ctx, bridge.pipeline_id)
  })
}

/** The status of the upstream pipeline, `created` while there is none. Undefined if the user cannot see the project. */
function upstreamStatus(ctx: Ctx, bridge: JobRow, path: string): PipelineRow['status'] | undefined {
  const actorCtx = onBehalfOf(ctx, bridge.user_id)
  const project = actorCtx && path.includes('/') ? findProject(actorCtx, path) : undefined
  if (!actorCtx || !project || !canRead(actorCtx, scope, project)) return undefined
  return store.newestStatus(ctx.db, project.id, project.default_branch) ?? 'created'
}
