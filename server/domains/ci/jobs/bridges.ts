import type { Ctx } from '../../../ctx.ts'
import { jsonList } from '../../../db/database.ts'
import { canRead, isAble } from '../../../policy/ability.ts'
import { fullPath, project, projectById, type Project } from '../../projects/index.ts'
import type { PipelineWithPath } from '../pipelines/entity.ts'
import { byId, type PipelineRow } from '../pipelines/store.ts'
import { abilities } from '../policy.ts'
import type { JobRow } from './store.ts'
import { showJobs, type BridgeView } from './view.ts'

/** The projects among these ids whose pipelines the reader may see. */
function readable(ctx: Ctx, ids: ReadonlySet<number>): Map<number, Project> {
  const found = [...ids].flatMap((id) => projectById(ctx.db, id) ?? [])
  const seen = found.filter(
    (owner) => canRead(ctx, project, owner) && isAble(ctx, project, abilities.read_pipelines, owner),
  )
  return new Map(seen.map((owner) => [owner.id, owner]))
}

/** The pipelines that trigger jobs made, by the id of the job, as far as the reader may see them. */
export function downstreamOf(ctx: Ctx, jobIds: readonly number[]): Map<number, PipelineWithPath> {
  const rows = ctx.db.many<PipelineRow>(
    'SELECT * FROM ci_pipelines WHERE upstream_job_id IN (SELECT value FROM json_each(?)) ORDER BY id',
    jsonList(jobIds),
  )
  const owners = readable(ctx, new Set(rows.map((row) => row.project_id)))
  const places = rows.flatMap((row): [number, PipelineWithPath][] => {
    const owner = owners.get(row.project_id)
    return owner && row.upstream_job_id !== null
      ? [[row.upstream_job_id, { row, path: fullPath(owner) }]]
      : []
  })
  return new Map(places)
}

/** The pipeline that made another one, where the reader may see it. */
export function upstreamOf(ctx: Ctx, pipeline: PipelineRow): PipelineWithPath | null {
  const row = pipeline.upstream_pipeline_id === null ? undefined : byId(ctx.db, pipeline.upstream_pipeline_id)
  const owner = row && readable(ctx, new Set([row.project_id])).get(row.project_id)
  return row && owner ? { row, path: fullPath(owner) } : null
}

/** Trigger jobs of one project as `Bridge` takes them. */
export async function showBridges(ctx: Ctx, owner: Project, rows: readonly JobRow[]): Promise<BridgeView[]> {
  const views = await showJobs(ctx, owner, rows)
  const downstream = downstreamOf(
    ctx,
    rows.map((row) => row.id),
  )
  return views.map((view) => ({ ...view, downstream: downstream.get(view.row.id) ?? null }))
}
