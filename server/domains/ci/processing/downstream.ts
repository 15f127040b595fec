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
import { mirrorJob, cancelPipeline, changeJob, followingChanges, processPipeline } from './state.ts'
import { dropJob } from './run.ts'
import { isOver } from './status.ts'
import * as store from './store.ts'

/**
 * Creates the pipeline of a trigger job that is ready. After that the job has ended, or follows the pipeline (spec ci
 * 2.4).
 */
export async function makeDownstream(ctx: Ctx, jobId: number): Promise<void> {
  const bridge = jobs.byId(ctx.db, jobId)
  const upstream = store.option<string>(ctx.db, jobId, 'other_needs.bridge')
  if (upstream !== null && store.option(ctx.db, jobId, 'trigger') === null)
    return mirror(ctx, jobId, upstream)
  if (bridge?.status !== 'pending') return
  const created = await createFor(ctx, bridge)
  if (created instanceof DownstreamRefused) refuse(ctx, bridge, created)
  else settleBridge(ctx, jobId, created)
}

/** Creates the pipeline, or returns the reason why there is none. */
async function createFor(ctx: Ctx, bridge: JobRow): Promise<PipelineRow | DownstreamRefused> {
  try {
    return await createDownstream(ctx, bridge)
  } catch (error) {
    if (error instanceof DownstreamRefused) return error
    // The job must end whatever the error is.
    ctx.log.error({ err: error, job_id: bridge.id }, 'a downstream pipeline could not be created')
    return new DownstreamRefused('downstream_pipeline_creation_failed')
  }
}

const MAX_DESCRIPTION = 1000

/** Fails the trigger job, and stores why its pipeline was refused. */
function refuse(ctx: Ctx, { id }: JobRow, { reason, texts }: DownstreamRefused): void {
  tx(ctx.db, () => {
    if (texts.length > 0) store.describeJob(ctx.db, id, texts.join(', ').slice(0, MAX_DESCRIPTION))
    dropJob(ctx, { id }, reason)
  })
}

function settleBridge(ctx: Ctx, jobId: number, created: PipelineRow): void {
  tx(ctx.db, () => {
    const bridge = jobs.byId(ctx.db, jobId)
    if (bridge?.status === 'canceled') cancelPipeline(ctx, created)
    // A job that follows its pipeline may have changed already, while the pipeline was created.
    if (bridge?.status !== 'pending') return
    const { status } = pipelines.byId(ctx.db, created.id)!
    const done = { status: 'success' as const, started_at: ctx.now, finished_at: ctx.now }
    changeJob(ctx, bridge, bridge.follows_downstream ? followingChanges(ctx, bridge, status)! : done)
    processPipeline(ctx, bridge.pipeline_id)
  })
}

/** Milliseconds until a pipeline that still runs is checked again. */
const PAUSE_MS = 10_000

/**
 * Gives a job the status of the newest pipeline of another project's default branch (`needs: pipeline`), as soon as
 * that pipeline has ended. Checks it again until then. The user who started the job must be able to see the project.
 */
function mirror(ctx: Ctx, jobId: number, path: string): void {
  tx(ctx.db, () => {
    const bridge = jobs.byId(ctx.db, jobId)
    if (bridge?.status !== 'pending' && bridge?.status !== 'running') return
    const upstreamStatus = mirroredStatus(ctx, bridge, path)
    if (upstreamStatus === undefined) {
      dropJob(ctx, bridge, 'downstream_bridge_project_not_found')
      return
    }
    const changes = followingChanges(ctx, bridge, upstreamStatus)
    if (changes) changeJob(ctx, bridge, changes)
    if (!isOver(upstreamStatus)) enqueue(ctx, mirrorJob, { job_id: jobId }, { delay: PAUSE_MS })
    processPipeline(ctx, bridge.pipeline_id)
  })
}

/** Status of the pipeline, `created` while there is none; undefined without such a project. */
function mirroredStatus(ctx: Ctx, bridge: JobRow, path: string): PipelineRow['status'] | undefined {
  const acting = onBehalfOf(ctx, bridge.user_id)
  const project = acting && path.includes('/') ? findProject(acting, path) : undefined
  if (!acting || !project || !canRead(acting, scope, project)) return undefined
  return store.newestStatus(ctx.db, project.id, project.default_branch) ?? 'created'
}
