import { sql, type RawBuilder, type SqlBool } from 'kysely'

import { jsonList, type Database } from '../../db/database.ts'
import { boundedCount, likePattern, selectAll } from '../../db/lists.ts'
import type { Project } from './project.ts'
import { SELECT_PROJECT } from './store.ts'

type Condition = RawBuilder<SqlBool>

/** Filters of project lists; what is absent does not narrow. */
export interface ProjectFilter {
  /** What the reader may see and belongs to (members domain), on `p`. */
  conditions: readonly Condition[]
  namespace_ids?: readonly number[] | undefined
  archived?: boolean | undefined
  visibility?: string | undefined
  search?: string | undefined
  search_namespaces?: boolean | undefined
  starred_by?: number | undefined
  id_after?: number | undefined
  id_before?: number | undefined
  last_activity_after?: string | undefined
  last_activity_before?: string | undefined
  updated_after?: string | undefined
  updated_before?: string | undefined
  topics?: readonly string[] | undefined
  with_issues_enabled?: boolean | undefined
  with_merge_requests_enabled?: boolean | undefined
  repository_storage?: string | undefined
}

/** Order and window of one page. `keyset` pages are not counted. */
export interface ProjectPage {
  order_by: string
  sort: 'asc' | 'desc'
  limit: number
  offset: number
  keyset: boolean
}

function searchCondition(search: string, withNamespaces: boolean | undefined): Condition {
  const like = likePattern(search)
  const own = sql<SqlBool>`p.name LIKE ${like} ESCAPE '\\' OR p.path LIKE ${like} ESCAPE '\\' OR p.description LIKE ${like} ESCAPE '\\'`
  if (!withNamespaces) return sql<SqlBool>`(${own})`
  return sql<SqlBool>`(${own} OR n.full_path LIKE ${like} ESCAPE '\\' OR n.full_name LIKE ${like} ESCAPE '\\')`
}

/** Half-open on neither side: after and before mean at or after, at or before (as clients of this API family expect). */
function conditionsOf(filter: ProjectFilter): Condition {
  const parts: Condition[] = [...filter.conditions]
  const add = (given: unknown, condition: Condition): void => {
    if (given !== undefined && given !== false) parts.push(condition)
  }
  if (filter.namespace_ids) {
    const [only] = filter.namespace_ids
    parts.push(
      filter.namespace_ids.length === 1
        ? sql<SqlBool>`p.namespace_id = ${only}`
        : sql<SqlBool>`p.namespace_id IN (SELECT value FROM json_each(${jsonList(filter.namespace_ids)}))`,
    )
  }
  if (filter.archived !== undefined) parts.push(sql<SqlBool>`p.archived = ${Number(filter.archived)}`)
  add(filter.visibility, sql<SqlBool>`p.visibility = ${filter.visibility}`)
  if (filter.search) parts.push(searchCondition(filter.search, filter.search_namespaces))
  add(
    filter.starred_by,
    sql<SqlBool>`p.id IN (SELECT s.project_id FROM project_stars s WHERE s.user_id = ${filter.starred_by})`,
  )
  add(filter.id_after, sql<SqlBool>`p.id > ${filter.id_after}`)
  add(filter.id_before, sql<SqlBool>`p.id < ${filter.id_before}`)
  add(filter.last_activity_after, sql<SqlBool>`p.last_activity_at >= ${filter.last_activity_after}`)
  add(filter.last_activity_before, sql<SqlBool>`p.last_activity_at <= ${filter.last_activity_before}`)
  add(filter.updated_after, sql<SqlBool>`p.updated_at >= ${filter.updated_after}`)
  add(filter.updated_before, sql<SqlBool>`p.updated_at <= ${filter.updated_before}`)
  for (const topic of filter.topics ?? []) {
    parts.push(
      sql<SqlBool>`EXISTS (SELECT 1 FROM json_each(p.topics) t WHERE t.value = ${topic} COLLATE NOCASE)`,
    )
  }
  add(filter.with_issues_enabled, sql<SqlBool>`p.issues_access_level <> 'disabled'`)
  add(filter.with_merge_requests_enabled, sql<SqlBool>`p.merge_requests_access_level <> 'disabled'`)
  add(filter.repository_storage, sql<SqlBool>`p.repository_storage = ${filter.repository_storage}`)
  return parts.length === 0 ? sql<SqlBool>`1` : sql.join(parts, sql` AND `)
}

/** Names a column of its own index each; `id` settles ties and makes the order complete. */
const ORDERS: Readonly<Record<string, string>> = {
  name: 'p.name COLLATE NOCASE',
  path: 'p.path',
  created_at: 'p.created_at',
  updated_at: 'p.updated_at',
  last_activity_at: 'p.last_activity_at',
}

/** Best match first: the path itself, then paths and names that begin so, then the rest. */
function bySimilarity(search: string | undefined): RawBuilder<unknown> {
  if (!search) return sql`p.name COLLATE NOCASE, p.id`
  const begins = likePattern(search).slice(1)
  return sql`CASE WHEN p.path = ${search} OR p.name = ${search} COLLATE NOCASE THEN 0
    WHEN p.path LIKE ${begins} ESCAPE '\\' OR p.name LIKE ${begins} ESCAPE '\\' THEN 1
    WHEN p.name LIKE ${likePattern(search)} ESCAPE '\\' OR p.path LIKE ${likePattern(search)} ESCAPE '\\' THEN 2 ELSE 3 END, p.name COLLATE NOCASE, p.id`
}

function orderOf(page: ProjectPage, search: string | undefined): RawBuilder<unknown> {
  if (page.order_by === 'similarity') return bySimilarity(search)
  const direction = sql.raw(page.sort === 'asc' ? 'ASC' : 'DESC')
  const column = ORDERS[page.order_by]
  const id = sql`p.id ${direction}`
  return column ? sql`${sql.raw(column)} ${direction}, ${id}` : id
}

/**
 * One page of projects. The inner query finds the ids by an index alone where the filters allow it, so that a deep
 * page does not read what it skips; the outer one reads the rows that are shown.
 */
export function list(
  db: Database,
  filter: ProjectFilter,
  page: ProjectPage,
): { rows: Project[]; total: number | undefined } {
  const needsNamespace = filter.search && filter.search_namespaces
  const from = needsNamespace
    ? sql`FROM projects p JOIN namespaces n ON n.id = p.namespace_id`
    : sql`FROM projects p`
  const where = sql`WHERE ${conditionsOf(filter)}`
  const order = orderOf(page, filter.search)
  const rows = selectAll(
    db,
    sql<Project>`${sql.raw(SELECT_PROJECT)} WHERE p.id IN (
      SELECT p.id ${from} ${where} ORDER BY ${order} LIMIT ${page.limit} OFFSET ${page.offset}) ORDER BY ${order}`,
  )
  const total = page.keyset ? undefined : boundedCount(db, sql`SELECT 1 ${from} ${where}`)
  return { rows, total }
}
