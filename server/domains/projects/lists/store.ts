import { sql, type RawBuilder, type SqlBool } from 'kysely'

import { jsonList, type Database } from '../../../db/database.ts'
import { boundedCount, likePattern, selectAll } from '../../../db/lists.ts'
import type { Project } from '../types.ts'
import { byId } from '../store.ts'

type Condition = RawBuilder<SqlBool>

/** Filters of project lists; an absent filter has no effect. */
export interface ProjectFilter {
  /** Conditions on `p`: the projects that the reader may see, and those of a member (members domain). */
  conditions: readonly Condition[]
  namespace_ids?: readonly number[] | undefined
  /** Projects shared with these groups: in addition to those in `namespace_ids`. */
  shared_with?: { readonly group_ids: readonly number[]; readonly today: string } | undefined
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
  topic_id?: number | undefined
  with_programming_language?: string | undefined
  /** Only projects that this user imported. */
  imported_by?: number | undefined
  /** Only forks of this project. */
  forked_from?: number | undefined
  with_issues_enabled?: boolean | undefined
  with_merge_requests_enabled?: boolean | undefined
  repository_storage?: string | undefined
  /** Only projects with a damaged repository. */
  repository_checksum_failed?: boolean | undefined
  /** Matches no project: this instance has no checksums of wikis. */
  wiki_checksum_failed?: boolean | undefined
}

/** Order and window of one page. Keyset pages are not counted. */
export interface ProjectPage {
  order_by: string
  sort: 'asc' | 'desc'
  limit: number
  offset: number
  keyset: boolean
}

/** Returns the conditions on the location of a project: in one of the namespaces, or shared with one of the groups. */
function locationConditions({ namespace_ids: spaces, shared_with: shared }: ProjectFilter): Condition[] {
  const locations: Condition[] = []
  if (spaces?.length === 1) locations.push(sql<SqlBool>`p.namespace_id = ${spaces[0]}`)
  else if (spaces)
    locations.push(sql<SqlBool>`p.namespace_id IN (SELECT value FROM json_each(${jsonList(spaces)}))`)
  if (shared) {
    locations.push(sql<SqlBool>`p.id IN (SELECT l.project_id FROM project_group_links l
      WHERE l.group_id IN (SELECT value FROM json_each(${jsonList(shared.group_ids)}))
        AND (l.expires_at IS NULL OR l.expires_at > ${shared.today}))`)
  }
  return locations
}

/** Returns the condition of all filters. Bounds of times are inclusive. */
function conditionsOf(filter: ProjectFilter, byIndex: boolean): Condition {
  const conditions: Condition[] = [...filter.conditions]
  const add = (value: unknown, condition: Condition): void => {
    if (value !== undefined && value !== false) conditions.push(condition)
  }
  const locations = locationConditions(filter)
  if (locations.length > 0) conditions.push(sql<SqlBool>`(${sql.join(locations, sql` OR `)})`)
  // Literals let SQLite use the partial index of archived projects.
  if (filter.archived !== undefined)
    conditions.push(filter.archived ? sql<SqlBool>`p.archived = 1` : sql<SqlBool>`p.archived = 0`)
  // The visibility condition is more selective; the `+` keeps SQLite from using the visibility index first.
  const indexBlocker = sql.raw(filter.conditions.length > 0 ? '+' : '')
  add(filter.visibility, sql<SqlBool>`${indexBlocker}p.visibility = ${filter.visibility}`)
  if (filter.search)
    conditions.push(matches(filter.search, { namespaces: filter.search_namespaces ?? false, byIndex }))
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
    conditions.push(sql<SqlBool>`p.id IN (SELECT own.project_id FROM project_topics own WHERE own.topic_id =
      (SELECT t.id FROM topics t WHERE t.name = ${topic}))`)
  }
  add(
    filter.topic_id,
    sql<SqlBool>`p.id IN (SELECT own.project_id FROM project_topics own WHERE own.topic_id = ${filter.topic_id})`,
  )
  const language = filter.with_programming_language
  add(
    language,
    sql<SqlBool>`p.id IN (SELECT l.project_id FROM project_languages l WHERE l.name = ${language})`,
  )
  add(filter.imported_by, sql<SqlBool>`(p.creator_id = ${filter.imported_by} AND p.import_type IS NOT NULL)`)
  add(filter.forked_from, sql<SqlBool>`p.forked_from_project_id = ${filter.forked_from}`)
  add(filter.with_issues_enabled, sql<SqlBool>`p.issues_access_level <> 'disabled'`)
  add(filter.with_merge_requests_enabled, sql<SqlBool>`p.merge_requests_access_level <> 'disabled'`)
  add(filter.repository_storage, sql<SqlBool>`p.repository_storage = ${filter.repository_storage}`)
  add(filter.repository_checksum_failed, sql<SqlBool>`p.last_repository_check_failed = 1`)
  add(filter.wiki_checksum_failed, sql<SqlBool>`0`)
  return conditions.length === 0 ? sql<SqlBool>`1` : sql.join(conditions, sql` AND `)
}

/** Columns to order by, each with its index; `id` makes the order unique. */
const ORDERS: Readonly<Record<string, { column: string; index: string }>> = {
  id: { column: 'p.id', index: 'NOT INDEXED' },
  name: { column: 'p.name COLLATE NOCASE', index: 'INDEXED BY projects_name' },
  path: { column: 'p.path', index: 'INDEXED BY projects_path_alone' },
  created_at: { column: 'p.created_at', index: 'INDEXED BY projects_created_at' },
  updated_at: { column: 'p.updated_at', index: 'INDEXED BY projects_updated_at' },
  last_activity_at: { column: 'p.last_activity_at', index: 'INDEXED BY projects_last_activity_at' },
  repository_size: { column: 'p.repository_size', index: 'INDEXED BY projects_repository_size' },
  wiki_size: { column: 'p.wiki_size', index: 'INDEXED BY projects_wiki_size' },
  packages_size: { column: 'p.packages_size', index: 'INDEXED BY projects_packages_size' },
  storage_size: {
    // Written as in the index: SQLite compares expressions as text.
    column: `(p.repository_size + p.wiki_size + p.lfs_objects_size + p.job_artifacts_size
  + p.pipeline_artifacts_size + p.packages_size + p.snippets_size + p.uploads_size)`,
    index: 'INDEXED BY projects_storage_size',
  },
}

/** Orders by size, for administrators only. */
export const SIZE_ORDERS = ['storage_size', 'repository_size', 'wiki_size', 'packages_size'] as const

function orderOf(page: ProjectPage, search: string | undefined): RawBuilder<unknown> {
  const order = ORDERS[page.order_by]
  if (!order) return bySimilarity(search)
  const direction = sql.raw(page.sort === 'asc' ? 'ASC' : 'DESC')
  if (page.order_by === 'id') return sql`p.id ${direction}`
  return sql`${sql.raw(order.column)} ${direction}, p.id ${direction}`
}

/** Above this number of matches, which are counted up to a limit, all projects are read in order. */
const MANY_MATCHES = 2000

/**
 * Returns one page of projects. The number of matches decides the query: few matches are found by the indexes of the
 * filters and then sorted; with many matches, reading the index of the order soon fills a page. The inner query finds
 * ids only, so that a deep page does not read the rows that it skips.
 */
export function projectsPage(
  db: Database,
  filter: ProjectFilter,
  page: ProjectPage,
): { rows: Project[]; total: number | undefined } {
  const { id_after: _after, id_before: _before, ...wholeListFilter } = filter
  // Keyset pages differ only in their start, so the number of matches is counted once for all.
  const byIndex = filter.search ? isRare(db, filter.search, MANY_MATCHES) : false
  const countCondition = conditionsOf(page.keyset ? wholeListFilter : filter, byIndex)
  const total = boundedCount(db, sql`SELECT 1 FROM projects p WHERE ${countCondition}`)
  const orderIndex = readsFewerInOrder(db, total, page) ? ORDERS[page.order_by]?.index : undefined
  const order = orderOf(page, filter.search)
  const ids = sql<{
    id: number
  }>`SELECT p.id FROM projects p ${sql.raw(orderIndex ?? '')} WHERE ${conditionsOf(filter, byIndex && !orderIndex)}
    ORDER BY ${order} LIMIT ${page.limit} OFFSET ${page.offset}`
  // SQLite sorts rows of eighty columns five times slower than it finds each by its id.
  const rows = selectAll(db, ids).map(({ id }) => byId(db, id)!)
  return { rows, total: page.keyset ? undefined : total }
}

/**
 * True if reading all projects in order until the page is full reads fewer rows than sorting all matches. Projects that
 * match are assumed to be spread evenly.
 */
function readsFewerInOrder(db: Database, matches: number, { limit, offset }: ProjectPage): boolean {
  if (matches > MANY_MATCHES) return true
  const all = db.one<{ id: number | null }>('SELECT max(id) AS id FROM projects')?.id ?? 0
  return ((offset + limit) * all) / matches < matches
}

/** The index contains trigrams; shorter texts are compared row by row. */
const TRIGRAM_LENGTH = 3

/** Returns the text as one phrase for the index; undefined if it is too short. */
function phraseOf(search: string): string | undefined {
  return [...search].length < TRIGRAM_LENGTH ? undefined : `"${search.replaceAll('"', '""')}"`
}

/** Returns true if the index finds few enough projects with the text to start with them. */
export function isRare(db: Database, search: string, limit: number): boolean {
  const phrase = phraseOf(search)
  return (
    phrase !== undefined &&
    boundedCount(db, sql`SELECT 1 FROM projects_fts WHERE projects_fts MATCH ${phrase}`) <= limit
  )
}

/**
 * Returns a condition for projects (alias `p`) with a text in name, path or description; with `namespaces` also for
 * projects in a namespace with the text in its name or path. With `byIndex` it uses the full-text index, else it
 * compares the rows that other filters leave.
 */
export function matches(
  search: string,
  options: { namespaces: boolean; byIndex: boolean },
): RawBuilder<SqlBool> {
  const like = likePattern(search)
  const textMatch = options.byIndex
    ? sql`p.id IN (SELECT rowid FROM projects_fts WHERE projects_fts MATCH ${phraseOf(search)})`
    : sql`p.name LIKE ${like} ESCAPE '\\' OR p.path LIKE ${like} ESCAPE '\\' OR p.description LIKE ${like} ESCAPE '\\'`
  if (!options.namespaces) return sql<SqlBool>`(${textMatch})`
  return sql<SqlBool>`(${textMatch} OR p.namespace_id IN (
    SELECT s.id FROM namespaces s WHERE s.full_path LIKE ${like} ESCAPE '\\' OR s.full_name LIKE ${like} ESCAPE '\\'))`
}

/**
 * Returns the order with the best match first: the exact path or name, then paths and names that start with the text,
 * then the rest.
 */
export function bySimilarity(search: string | undefined): RawBuilder<unknown> {
  if (!search) return sql`p.name COLLATE NOCASE, p.id`
  const like = likePattern(search)
  const prefixPattern = like.slice(1)
  return sql`CASE WHEN p.path = ${search} OR p.name = ${search} COLLATE NOCASE THEN 0
    WHEN p.path LIKE ${prefixPattern} ESCAPE '\\' OR p.name LIKE ${prefixPattern} ESCAPE '\\' THEN 1
    WHEN p.name LIKE ${like} ESCAPE '\\' OR p.path LIKE ${like} ESCAPE '\\' THEN 2 ELSE 3 END, p.name COLLATE NOCASE, p.id`
}
