import type { Ctx } from '../../../ctx.ts'
import type { Rows } from '../../../db/rows.ts'
import { fail } from '../../../lib/fail.ts'
import { placePipelines } from '../../ci/index.ts'
import type { PipelineWithPath } from '../../ci/pipelines/entity.ts'
import { projectById, type Project } from '../../projects/index.ts'
import type { MergeRequestRow } from '../merge-request.ts'
import { seesPipelines } from './head.ts'
import * as store from './store.ts'

/** One page of the pipelines of a merge request; those of a fork that the actor does not see are left out. Throws 403. */
export function findPipelines(
  ctx: Ctx,
  project: Project,
  request: MergeRequestRow,
  page: { readonly limit: number; readonly offset: number },
): Rows<PipelineWithPath> {
  if (!seesPipelines(ctx, project)) throw fail('forbidden')
  const source =
    request.source_project_id === null ? undefined : projectById(ctx.db, request.source_project_id)
  const owners = [
    project,
    ...(source && source.id !== project.id && seesPipelines(ctx, source) ? [source] : []),
  ]
  const ids = owners.map((owner) => owner.id)
  const found = store.listPipelines(ctx.db, request, ids, page)
  const rows = found.rows.flatMap((row) => {
    const owner = owners.find((one) => one.id === row.project_id)!
    return placePipelines(owner, [row])
  })
  return { ...found, rows }
}
