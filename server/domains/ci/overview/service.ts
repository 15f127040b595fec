import type { Ctx } from '../../../ctx.ts'
import type { Rows } from '../../../db/rows.ts'
import type { Commit } from '../../../git/commits.ts'
import type { Project } from '../../projects/index.ts'
import { usersById, type UserBasicRow } from '../../users/index.ts'
import { commitsOf } from '../jobs/view.ts'
import type { PipelineRow } from '../pipelines/store.ts'
import * as store from './store.ts'
import type { Counted, OverviewFilter } from './store.ts'

/** A pipeline as a line of the window's list. */
export interface OverviewRow {
  readonly id: number
  readonly row: PipelineRow
  readonly user: UserBasicRow | null
  readonly commit: Commit | null
  /** Number of its merge request. */
  readonly request: number | null
  readonly counts: readonly Counted[]
}

/** Pipelines of a project with what a line shows of them: a few queries and one look into git for a page. */
export async function overview(
  ctx: Ctx,
  project: Project,
  filter: Omit<OverviewFilter, 'project_id'>,
  paging: { readonly limit: number; readonly offset: number },
): Promise<Rows<OverviewRow>> {
  const { rows, total } = store.list(ctx.db, { ...filter, project_id: project.id }, paging)
  const users = usersById(
    ctx.db,
    rows.flatMap((row) => row.user_id ?? []),
  )
  const commits = await commitsOf(ctx, project, new Set(rows.map((row) => row.sha)))
  const requests = store.requestIids(
    ctx.db,
    rows.flatMap((row) => row.merge_request_id ?? []),
  )
  const counts = Map.groupBy(
    store.counts(
      ctx.db,
      rows.map((row) => row.id),
    ),
    (one) => one.pipeline_id,
  )
  const shown = rows.map((row) => ({
    id: row.id,
    row,
    user: users.get(row.user_id ?? 0) ?? null,
    commit: commits.get(row.sha) ?? null,
    request: requests.get(row.merge_request_id ?? 0) ?? null,
    counts: counts.get(row.id) ?? [],
  }))
  return { rows: shown, total }
}
