import { sql, type RawBuilder, type SqlBool } from 'kysely'

import type { Ctx } from '../../ctx.ts'
import type { Database } from '../../db/database.ts'
import { boundedCount, selectAll } from '../../db/lists.ts'
import type { Rows } from '../../db/rows.ts'
import { GUEST } from '../../policy/levels.ts'
import { projectsWithFeature } from '../members/index.ts'
import type { ReleaseRow } from './types.ts'

/** A condition on releases (alias `r`). */
export type Condition = RawBuilder<SqlBool>

/** A page of a list. */
export interface Page {
  readonly limit: number
  readonly offset: number
  readonly order_by: string
  readonly sort: 'asc' | 'desc'
}

/** Filters of the releases of a project. */
export interface ReleaseFilter {
  readonly updated_after?: string | undefined
  readonly updated_before?: string | undefined
}

/** One page of the releases that meet a condition. */
export function list(
  db: Database,
  condition: Condition,
  { limit, offset, order_by, sort }: Page,
): Rows<ReleaseRow> {
  const direction = sql.raw(sort === 'asc' ? 'ASC' : 'DESC')
  const order = (table: string) =>
    sql`${sql.ref(`${table}.${order_by === 'created_at' ? order_by : 'released_at'}`)} ${direction}, ${sql.ref(`${table}.id`)} ${direction}`
  // Selects ids first, from an index, because texts are long and the releases of a group must be sorted.
  const page = sql`SELECT r.id FROM releases r WHERE ${condition} ORDER BY ${order('r')} LIMIT ${limit} OFFSET ${offset}`
  const rows = selectAll(
    db,
    sql<ReleaseRow>`SELECT f.* FROM releases f WHERE f.id IN (${page}) ORDER BY ${order('f')}`,
  )
  return { rows, total: boundedCount(db, sql`SELECT r.id FROM releases r WHERE ${condition}`) }
}

/** The releases of a project. */
export function ofProject(projectId: number, { updated_after, updated_before }: ReleaseFilter): Condition {
  const conditions = [
    sql<SqlBool>`r.project_id = ${projectId}`,
    ...(updated_after ? [sql<SqlBool>`r.updated_at >= ${updated_after}`] : []),
    ...(updated_before ? [sql<SqlBool>`r.updated_at <= ${updated_before}`] : []),
  ]
  return sql<SqlBool>`${sql.join(conditions, sql` AND `)}`
}

/** The condition for releases of the projects in a group that the viewer can read. */
export function belowGroup(viewer: Pick<Ctx, 'actor' | 'now'>, groupId: number): Condition {
  const tree = sql`WITH RECURSIVE tree (id) AS (
    SELECT ${groupId} UNION ALL SELECT c.id FROM namespaces c JOIN tree ON c.parent_id = tree.id) SELECT id FROM tree`
  const projects = sql`SELECT p.id FROM projects p WHERE p.namespace_id IN (${tree})
    AND ${projectsWithFeature(viewer, 'releases', GUEST)}`
  return sql<SqlBool>`r.project_id IN (${projects})`
}
