import { sql, type RawBuilder, type SqlBool } from 'kysely'

import type { Ctx } from '../../../ctx.ts'
import { boundedCount, selectAll } from '../../../db/lists.ts'
import type { Rows } from '../../../db/rows.ts'
import { GUEST } from '../../../policy/levels.ts'
import { projectsWithFeature } from '../../members/index.ts'
import type { ReleaseRow } from '../release.ts'
import { showReleases, type ReleaseView, type ShowOptions } from './view.ts'

type Condition = RawBuilder<SqlBool>

/** A page of a list. */
interface Page {
  readonly limit: number
  readonly offset: number
  readonly order_by: string
  readonly sort: 'asc' | 'desc'
}

/** Which releases are asked for, and what is shown of them. */
export interface ReleaseQuery extends ShowOptions {
  readonly updated_after?: string | undefined
  readonly updated_before?: string | undefined
}

async function pageOf(
  ctx: Ctx,
  conditions: readonly Condition[],
  { limit, offset, order_by, sort }: Page,
  options: ShowOptions,
): Promise<Rows<ReleaseView>> {
  const where = sql.join(conditions, sql` AND `)
  const direction = sql.raw(sort === 'asc' ? 'ASC' : 'DESC')
  const order = (table: string) =>
    sql`${sql.ref(`${table}.${order_by === 'created_at' ? order_by : 'released_at'}`)} ${direction}, ${sql.ref(`${table}.id`)} ${direction}`
  // Ids first, which an index has: texts are long, and a group's releases have to be sorted.
  const page = sql`SELECT r.id FROM releases r WHERE ${where} ORDER BY ${order('r')} LIMIT ${limit} OFFSET ${offset}`
  const rows = selectAll(
    ctx.db,
    sql<ReleaseRow>`SELECT f.* FROM releases f WHERE f.id IN (${page}) ORDER BY ${order('f')}`,
  )
  const total = boundedCount(ctx.db, sql`SELECT r.id FROM releases r WHERE ${where}`)
  return { rows: await showReleases(ctx, rows, options), total }
}

/** One page of the releases of a project. */
export function listReleases(
  ctx: Ctx,
  project: { readonly id: number },
  query: ReleaseQuery,
  page: Page,
): Promise<Rows<ReleaseView>> {
  const { updated_after, updated_before } = query
  const conditions = [
    sql<SqlBool>`r.project_id = ${project.id}`,
    ...(updated_after ? [sql<SqlBool>`r.updated_at >= ${updated_after}`] : []),
    ...(updated_before ? [sql<SqlBool>`r.updated_at <= ${updated_before}`] : []),
  ]
  return pageOf(ctx, conditions, page, query)
}

/** One page of the releases of the projects below a group that the viewer may read. */
export function listGroupReleases(
  ctx: Ctx,
  group: { readonly id: number },
  page: Page,
): Promise<Rows<ReleaseView>> {
  const tree = sql`WITH RECURSIVE tree (id) AS (
    SELECT ${group.id} UNION ALL SELECT c.id FROM namespaces c JOIN tree ON c.parent_id = tree.id) SELECT id FROM tree`
  const projects = sql`SELECT p.id FROM projects p WHERE p.namespace_id IN (${tree})
    AND ${projectsWithFeature(ctx, 'releases', GUEST)}`
  return pageOf(ctx, [sql<SqlBool>`r.project_id IN (${projects})`], page, {})
}
