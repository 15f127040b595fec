import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { enqueue } from '../../../jobs/job.ts'
import { canRead } from '../../../policy/ability.ts'
import { inNameOf } from '../../planning/index.ts'
import { findProject, project as scope } from '../../projects/index.ts'
import * as jobs from '../jobs/store.ts'
import type { JobRow } from '../jobs/store.ts'
import type { PipelineRow } from '../pipelines/store.ts'
import { changeJob } from './change.ts'
import { changesOf } from './follow.ts'
import { mirrorJob } from './jobs.ts'
import { processPipeline } from './process.ts'
import { dropJob } from './run.ts'
import { isOver } from './statuses.ts'

/** How often a pipeline that still runs is looked at again. */
const PAUSE_MS = 10_000

/**
 * Takes over the status of the newest pipeline of another project's default branch (`needs: pipeline`), as soon as that one
 * is over; looks again until then. Whoever started the job has to be able to see the project.
 */
export function mirror(ctx: Ctx, jobId: number, path: string): void {
  tx(ctx.db, () => {
    const bridge = jobs.byId(ctx.db, jobId)
    if (bridge?.status !== 'pending' && bridge?.status !== 'running') return
    const theirs = newestOf(ctx, bridge, path)
    if (theirs === undefined) {
      dropJob(ctx, bridge, 'downstream_bridge_project_not_found')
      return
    }
    const changes = changesOf(ctx, bridge, theirs)
    if (changes) changeJob(ctx, bridge, changes)
    if (!isOver(theirs)) enqueue(ctx, mirrorJob, { job_id: jobId }, { delay: PAUSE_MS })
    processPipeline(ctx, bridge.pipeline_id)
  })
}

/** Status of the pipeline, `created` while there is none; undefined without such a project. */
function newestOf(ctx: Ctx, bridge: JobRow, path: string): string | undefined {
  const acting = inNameOf(ctx, bridge.user_id)
  const project = acting && path.includes('/') ? findProject(acting, path) : undefined
  if (!acting || !project || !canRead(acting, scope, project)) return undefined
  return (
    ctx.db.one<Pick<PipelineRow, 'status'>>(
      `SELECT status FROM ci_pipelines WHERE project_id = ? AND ref = ? AND source <> 'parent_pipeline'
       ORDER BY id DESC LIMIT 1`,
      project.id,
      project.default_branch,
    )?.status ?? 'created'
  )
}
