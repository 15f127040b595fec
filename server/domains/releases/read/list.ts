import type { Ctx } from '../../../ctx.ts'
import type { Rows } from '../../../db/rows.ts'
import * as store from './store-list.ts'
import { showReleases, type ReleaseView, type ShowOptions } from './view.ts'

/** Which releases are wanted, and what is shown of them. */
export type ReleaseQuery = ShowOptions & store.ReleaseFilter

/** One page of the releases of a project. */
export async function listReleases(
  ctx: Ctx,
  project: { readonly id: number },
  query: ReleaseQuery,
  page: store.Page,
): Promise<Rows<ReleaseView>> {
  const { rows, total } = store.list(ctx.db, store.ofProject(project.id, query), page)
  return { rows: await showReleases(ctx, rows, query), total }
}

/** One page of the releases of the projects below a group that the viewer may read. */
export async function listGroupReleases(
  ctx: Ctx,
  group: { readonly id: number },
  page: store.Page,
): Promise<Rows<ReleaseView>> {
  const { rows, total } = store.list(ctx.db, store.belowGroup(ctx, group.id), page)
  return { rows: await showReleases(ctx, rows), total }
}
