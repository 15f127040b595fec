import type { Ctx } from '../../../ctx.ts'
import { canRead, isAble } from '../../../policy/ability.ts'
import { ciAbilities, showPipeline, type PipelineRow, type PipelineView } from '../../ci/index.ts'
import { project as scope, projectById, type Project } from '../../projects/index.ts'
import type { MergeRequestRow } from '../merge-request.ts'
import * as store from './store.ts'

/** Whether the actor may see the pipelines of a project. */
export function seesPipelines(ctx: Ctx, project: Project): boolean {
  return canRead(ctx, scope, project) && isAble(ctx, scope, ciAbilities.read_pipelines, project)
}

/**
 * The pipeline of the head as single answers show it; null without one, undefined where the actor may not see the pipelines
 * of the project. One that runs in a fork which they do not see is none to them.
 */
export function showHeadPipeline(
  ctx: Ctx,
  project: Project,
  request: MergeRequestRow,
): PipelineView | null | undefined {
  if (!seesPipelines(ctx, project)) return undefined
  const row = store.headPipeline(ctx.db, request)
  const owner = row && ownerOf(ctx, project, row)
  return row && owner ? showPipeline(ctx, owner, row) : null
}

function ownerOf(ctx: Ctx, project: Project, row: PipelineRow): Project | undefined {
  if (row.project_id === project.id) return project
  const owner = projectById(ctx.db, row.project_id)
  return owner && seesPipelines(ctx, owner) ? owner : undefined
}

/** Open merge requests whose head has this pipeline as its own. */
export function requestsOfPipeline(
  ctx: Pick<Ctx, 'db'>,
  pipeline: { readonly pipeline_id: number; readonly project_id: number; readonly sha: string },
): MergeRequestRow[] {
  const candidates = store.openWithHead(ctx.db, pipeline.project_id, pipeline.sha)
  return candidates.filter((request) => store.headPipeline(ctx.db, request)?.id === pipeline.pipeline_id)
}
