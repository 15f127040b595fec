import { sql, type RawBuilder, type SqlBool } from 'kysely'

import { jsonList, type Database } from '../../db/database.ts'
import { boundedCount, likePattern, selectAll } from '../../db/lists.ts'
import type { Group } from './group.ts'

/** Filters of group lists. */
export interface GroupFilter {
  /** What the reader may see or belongs to (members domain), on `n`. */
  conditions: readonly RawBuilder<SqlBool>[]
  search?: string | undefined
  top_level_only?: boolean | undefined
  skip_groups?: readonly number[] | undefined
  /** Only groups directly below this one. */
  parent_id?: number | undefined
  /** Only groups below this one, at any depth. */
  below?: number | undefined
  /** Keyset: only what comes behind this place in the order by name and id. */
  after?: { name: string; id: number } | undefined
}

/** Order and window of one page. `keyset` pages are not counted. */
export interface GroupPage {
  order_by: string
  sort: 'asc' | 'desc'
  limit: number
  offset: number
  keyset: boolean
}

function conditionsOf(filter: GroupFilter): RawBuilder<SqlBool> {
  const parts = [sql<SqlBool>`n.kind = 'group'`, ...filter.conditions]
  if (filter.search) {
    const like = likePattern(filter.search)
    parts.push(sql<SqlBool>`(n.name LIKE ${like} ESCAPE '\\' OR n.path LIKE ${like} ESCAPE '\\')`)
  }
  if (filter.top_level_only) parts.push(sql<SqlBool>`n.parent_id IS NULL`)
  if (filter.skip_groups?.length) {
    parts.push(sql<SqlBool>`n.id NOT IN (SELECT value FROM json_each(${jsonList(filter.skip_groups)}))`)
  }
  if (filter.parent_id !== undefined) parts.push(sql<SqlBool>`n.parent_id = ${filter.parent_id}`)
  if (filter.below !== undefined) {
    parts.push(sql<SqlBool>`n.id IN (WITH RECURSIVE tree (id) AS (
      SELECT c.id FROM namespaces c WHERE c.parent_id = ${filter.below}
      UNION ALL SELECT c.id FROM namespaces c JOIN tree ON c.parent_id = tree.id) SELECT id FROM tree)`)
  }
  if (filter.after) {
    const { name, id } = filter.after
    parts.push(sql<SqlBool>`(n.name COLLATE NOCASE, n.id) > (${name}, ${id})`)
  }
  return sql.join(parts, sql` AND `)
}

function orderOf(page: GroupPage, search: string | undefined): RawBuilder<unknown> {
  const direction = sql.raw(page.sort === 'asc' ? 'ASC' : 'DESC')
  if (page.order_by === 'similarity' && search) {
    const begins = likePattern(search).slice(1)
    return sql`CASE WHEN n.path = ${search} OR n.name = ${search} COLLATE NOCASE THEN 0
      WHEN n.path LIKE ${begins} ESCAPE '\\' OR n.name LIKE ${begins} ESCAPE '\\' THEN 1 ELSE 2 END, n.name COLLATE NOCASE, n.id`
  }
  if (page.order_by === 'id') return sql`n.id ${direction}`
  if (page.order_by === 'path') return sql`n.path ${direction}, n.id ${direction}`
  return sql`n.name COLLATE NOCASE ${direction}, n.id ${direction}`
}

/** One page of groups. */
export function list(
  db: Database,
  filter: GroupFilter,
  page: GroupPage,
): { rows: Group[]; total: number | undefined } {
  const from = sql`FROM namespaces n WHERE ${conditionsOf(filter)}`
  const order = orderOf(page, filter.search)
  const rows = selectAll(
    db,
    sql<Group>`SELECT n.* ${from} ORDER BY ${order} LIMIT ${page.limit} OFFSET ${page.offset}`,
  )
  return { rows, total: page.keyset ? undefined : boundedCount(db, sql`SELECT 1 ${from}`) }
}

/** Whether a group with that name is directly below the parent. */
export function nameTaken(db: Database, parentId: number, name: string, exceptId?: number): boolean {
  const row = db.one(
    "SELECT 1 FROM namespaces WHERE parent_id = ? AND kind = 'group' AND name = ? COLLATE NOCASE AND id IS NOT ?",
    parentId,
    name,
    exceptId,
  )
  return row !== undefined
}

/** Bytes that the repositories of each group's own projects take. */
export function sizes(db: Database, ids: readonly number[]): Map<number, number> {
  const rows = db.many<{ id: number; size: number }>(
    `SELECT p.namespace_id AS id, sum(p.repository_size) AS size FROM projects p
     WHERE p.namespace_id IN (SELECT value FROM json_each(?)) GROUP BY p.namespace_id`,
    jsonList(ids),
  )
  return new Map(rows.map((row) => [row.id, row.size]))
}

/** Visibilities of the groups directly below one. */
export function visibilitiesBelow(db: Database, id: number): string[] {
  const sql = 'SELECT DISTINCT visibility FROM namespaces WHERE parent_id = ?'
  return db.many<{ visibility: string }>(sql, id).map((row) => row.visibility)
}
