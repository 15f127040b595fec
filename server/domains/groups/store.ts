import { sql, type RawBuilder, type SqlBool } from 'kysely'

import { jsonList, type Database } from '../../db/database.ts'
import { boundedCount, likePattern, selectAll } from '../../db/lists.ts'
import { VISIBILITY_RANK, type Visibility } from '../../policy/levels.ts'
import type { Group, GroupSizes } from './group.ts'
import { NO_SIZES } from './sizes.ts'

/** Filters of group lists. */
export interface GroupFilter {
  /** What the reader may see or belongs to (members domain), on `n`. */
  conditions: readonly RawBuilder<SqlBool>[]
  search?: string | undefined
  visibility?: string | undefined
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

/** The index of names and paths holds trigrams; shorter texts are looked for row by row. */
function matches(search: string): RawBuilder<SqlBool> {
  if ([...search].length >= 3) {
    const phrase = `"${search.replaceAll('"', '""')}"`
    return sql<SqlBool>`n.id IN (SELECT rowid FROM namespaces_fts WHERE namespaces_fts MATCH ${phrase})`
  }
  const like = likePattern(search)
  return sql<SqlBool>`(n.name LIKE ${like} ESCAPE '\\' OR n.path LIKE ${like} ESCAPE '\\')`
}

function conditionsOf(filter: GroupFilter): RawBuilder<SqlBool> {
  const parts = [sql<SqlBool>`n.kind = 'group'`, ...filter.conditions]
  if (filter.search) parts.push(matches(filter.search))
  if (filter.visibility) parts.push(sql<SqlBool>`n.visibility = ${filter.visibility}`)
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
  if (page.order_by === 'full_path') return sql`n.full_path ${direction}`
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

/** Bytes that each group's own projects take, and its wiki. */
export function sizes(db: Database, ids: readonly number[]): Map<number, GroupSizes> {
  const rows = db.many<GroupSizes & { id: number }>(
    `SELECT p.namespace_id AS id, sum(p.repository_size) AS repository_size, sum(p.wiki_size) AS wiki_size,
       sum(p.lfs_objects_size) AS lfs_objects_size, sum(p.job_artifacts_size) AS job_artifacts_size,
       sum(p.pipeline_artifacts_size) AS pipeline_artifacts_size, sum(p.packages_size) AS packages_size,
       sum(p.snippets_size) AS snippets_size, sum(p.uploads_size) AS uploads_size
     FROM projects p WHERE p.namespace_id IN (SELECT value FROM json_each(?)) GROUP BY p.namespace_id`,
    jsonList(ids),
  )
  const found = new Map<number, GroupSizes>(rows.map(({ id, ...taken }) => [id, taken]))
  // The wiki of the group itself lies beside those of its projects.
  const wikis = db.many<{ id: number; bytes: number }>(
    `SELECT group_id AS id, repository_size AS bytes FROM wikis
     WHERE group_id IN (SELECT value FROM json_each(?))`,
    jsonList(ids),
  )
  for (const { id, bytes } of wikis) {
    const own = found.get(id) ?? NO_SIZES
    found.set(id, { ...own, wiki_size: own.wiki_size + bytes })
  }
  return found
}

/** Visibilities of the groups directly below one. */
export function visibilitiesBelow(db: Database, id: number): string[] {
  const sql = 'SELECT DISTINCT visibility FROM namespaces WHERE parent_id = ?'
  return db.many<{ visibility: string }>(sql, id).map((row) => row.visibility)
}

/** Those of some groups that are more visible than given. */
export function widerThan(db: Database, ids: readonly number[], widest: Visibility): number[] {
  const wider = Object.entries(VISIBILITY_RANK).filter(([, rank]) => rank > VISIBILITY_RANK[widest])
  const rows = db.many<{ id: number }>(
    `SELECT id FROM namespaces WHERE id IN (SELECT value FROM json_each(?)) AND visibility IN (SELECT value FROM json_each(?))`,
    jsonList(ids),
    jsonList(wider.map(([name]) => name)),
  )
  return rows.map((row) => row.id)
}

/** Groups that were marked for their deletion on a day or before. */
export function markedUntil(db: Database, day: string): number[] {
  const sql = 'SELECT id FROM namespaces WHERE marked_for_deletion_on <= ? ORDER BY id LIMIT 1000'
  return db.many<{ id: number }>(sql, day).map((row) => row.id)
}

/** What the end of some groups has to tell, those below before those above. */
export function deepestFirst(
  db: Database,
  ids: readonly number[],
): (Pick<Group, 'id' | 'name' | 'path' | 'full_path' | 'parent_id' | 'created_at' | 'updated_at'> & {
  readonly parent_name: string | null
})[] {
  return db.many(
    `SELECT n.id, n.name, n.path, n.full_path, n.parent_id, n.created_at, n.updated_at, p.name AS parent_name
     FROM namespaces n LEFT JOIN namespaces p ON p.id = n.parent_id
     WHERE n.id IN (SELECT value FROM json_each(?)) ORDER BY json_array_length(n.lineage) DESC, n.id`,
    jsonList(ids),
  )
}
