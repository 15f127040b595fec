import type { Ctx } from '../../../ctx.ts'
import { fullPath, type Project } from '../../projects/index.ts'
import { usersById } from '../../users/index.ts'
import type { PipelineWithPath, PipelineView } from './entity.ts'
import type { PipelineRow } from './store.ts'
import { summaries } from './summaries.ts'

/** Pipelines of one project as `PipelineBasic` takes them. */
export function placePipelines(project: Project, rows: readonly PipelineRow[]): PipelineWithPath[] {
  const path = fullPath(project)
  return rows.map((row) => ({ row, path }))
}

/** Pipelines of one project as `Pipeline` takes them; two queries however many there are. */
export function showPipelines(ctx: Ctx, project: Project, rows: readonly PipelineRow[]): PipelineView[] {
  const users = usersById(
    ctx.db,
    rows.flatMap((row) => row.user_id ?? []),
  )
  const known = summaries(
    ctx.db,
    rows.map((row) => row.id),
  )
  return placePipelines(project, rows).map((place) => ({
    ...place,
    user: users.get(place.row.user_id ?? 0) ?? null,
    coverage: known.get(place.row.id)?.coverage ?? null,
    warnings: known.get(place.row.id)?.warnings === 1,
  }))
}

/** One pipeline as `Pipeline` takes it. */
export function showPipeline(ctx: Ctx, project: Project, row: PipelineRow): PipelineView {
  return showPipelines(ctx, project, [row])[0]!
}
