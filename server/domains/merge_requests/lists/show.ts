import type { Ctx } from '../../../ctx.ts'
import type { Rows } from '../../../db/rows.ts'
import { as, type Shown } from '../../../http/entity.ts'
import { fullPath, projectById } from '../../projects/index.ts'
import { MergeRequestBasic, MergeRequestSimple } from '../entity.ts'
import type { MergeRequestRow } from '../merge-request.ts'
import { showMergeRequests, type ShowOptions } from '../view.ts'

/** How a list is shown. */
export interface ListOptions extends ShowOptions {
  readonly view?: 'simple' | undefined
}

/** A page of merge requests in the form that was asked for. */
export async function showPage(
  ctx: Ctx,
  found: Rows<MergeRequestRow>,
  options: ListOptions,
): Promise<Rows<Shown>> {
  if (options.view === 'simple') {
    const paths = new Map<number, string>()
    const pathOf = (id: number): string => {
      if (!paths.has(id)) paths.set(id, fullPath(projectById(ctx.db, id)!))
      return paths.get(id)!
    }
    const rows = found.rows.map((request) =>
      as(MergeRequestSimple, { request, path: pathOf(request.project_id) }),
    )
    return { ...found, rows: rows as unknown as Shown[] }
  }
  const views = await showMergeRequests(ctx, found.rows, options)
  return { ...found, rows: views.map((view) => as(MergeRequestBasic, view)) as unknown as Shown[] }
}
