import { sql, type RawBuilder, type SqlBool } from 'kysely'

import { jsonList, type Database } from '../../db/database.ts'
import { boundedCount, likePattern, selectAll } from '../../db/lists.ts'
import type { UserBasicRow } from '../users/index.ts'
import { seesAll } from '../../policy/actor.ts'
import { GUEST, REPORTER } from '../../policy/levels.ts'
import { projectsWithFeature, visibleGroups, projectsOfMember } from '../members/index.ts'
import { visibleIssues } from '../planning/index.ts'

/** The scope of a search for users: the instance, or the members of these namespaces and of one project. */
export interface UserScope {
  readonly namespace_ids?: readonly number[]
  readonly project_id?: number
}

/** The limits of a page. */
export interface PageWindow {
  readonly limit: number
  readonly offset: number
}

/** The condition that a name matches. The index of trigrams needs three characters; a shorter text reads every name. */
function nameMatches(search: string): RawBuilder<SqlBool> {
  if ([...search].length >= 3) {
    const phrase = `"${search.replaceAll('"', '""')}"`
    return sql<SqlBool>`u.id IN (SELECT rowid FROM users_fts WHERE users_fts MATCH ${phrase})`
  }
  const text = sql`lower(${search})`
  return sql<SqlBool>`(instr(lower(u.username), ${text}) > 0 OR instr(lower(u.name), ${text}) > 0)`
}

function memberOf({ namespace_ids, project_id }: UserScope): RawBuilder<SqlBool>[] {
  if (namespace_ids === undefined && project_id === undefined) return []
  const ids = jsonList(namespace_ids ?? [])
  return [
    sql<SqlBool>`u.id IN (
      SELECT m.user_id FROM members m WHERE m.namespace_id IN (SELECT value FROM json_each(${ids}))
      UNION SELECT m.user_id FROM members m WHERE m.project_id = ${project_id ?? null})`,
  ]
}

/** Searches active users by name, user name or public address, an exact user name first. */
export function users(db: Database, search: string, scope: UserScope, window: PageWindow) {
  const matchesText = sql<SqlBool>`(${nameMatches(search)} OR (u.public_email <> '' AND u.public_email = ${search} COLLATE NOCASE))`
  const conditions = [matchesText, sql<SqlBool>`u.state = 'active' AND u.kind = 'human'`, ...memberOf(scope)]
  const from = sql`FROM users u WHERE ${sql.join(conditions, sql` AND `)}`
  const query = sql<UserBasicRow>`SELECT u.id, u.username, u.name, u.state, u.avatar ${from}
    ORDER BY (u.username = ${search}) DESC, u.name COLLATE NOCASE, u.id LIMIT ${window.limit} OFFSET ${window.offset}`
  return { rows: selectAll(db, query), total: boundedCount(db, sql`SELECT u.id ${from}`) }
}

type Viewer = Parameters<typeof visibleGroups>[0]

/** The text and order of a search. */
interface SearchText {
  readonly search: string
  readonly sort?: 'asc' | 'desc' | undefined
}

/** The scope of a search for milestones: a project, namespaces with their projects, or the instance. */
export interface MilestoneScope extends PageWindow {
  readonly project_id?: number | undefined
  readonly namespace_ids?: readonly number[] | undefined
}

function containsText(column: string, search: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`${sql.ref(column)} LIKE ${likePattern(search)} ESCAPE '\\'`
}

function order(sort: 'asc' | 'desc' = 'desc'): RawBuilder<unknown> {
  return sql.raw(sort)
}

/**
 * Selects milestones that the viewer may see: of projects with readable issues or merge requests, and of visible
 * groups.
 */
function readable(viewer: Viewer): RawBuilder<SqlBool> {
  const issues = projectsWithFeature(viewer, 'issues')
  const requests = projectsWithFeature(viewer, 'merge_requests')
  return sql<SqlBool>`(EXISTS (SELECT 1 FROM projects p WHERE p.id = m.project_id AND (${issues} OR ${requests}))
    OR EXISTS (SELECT 1 FROM namespaces n WHERE n.id = m.group_id AND ${visibleGroups(viewer)}))`
}

function inScope({ project_id, namespace_ids }: MilestoneScope): RawBuilder<SqlBool>[] {
  if (project_id !== undefined) return [sql<SqlBool>`m.project_id = ${project_id}`]
  if (namespace_ids === undefined) return []
  const tree = sql`(SELECT value FROM json_each(${jsonList(namespace_ids)}))`
  return [
    sql<SqlBool>`(m.group_id IN ${tree}
      OR m.project_id IN (SELECT b.id FROM projects b WHERE b.namespace_id IN ${tree}))`,
  ]
}

/** Returns the IDs of milestones with a text, oldest first. */
export function milestones(db: Database, viewer: Viewer, query: SearchText, scope: MilestoneScope) {
  const text = sql<SqlBool>`(${containsText('m.title', query.search)} OR ${containsText('m.description', query.search)})`
  const from = sql`FROM milestones m WHERE ${sql.join([...inScope(scope), text, readable(viewer)], sql` AND `)}`
  const rows = selectAll(
    db,
    sql<{
      id: number
    }>`SELECT m.id ${from} ORDER BY m.id ${order(query.sort)} LIMIT ${scope.limit} OFFSET ${scope.offset}`,
  )
  return { ids: rows.map((row) => row.id), total: boundedCount(db, sql`SELECT m.id ${from}`) }
}

/**
 * Selects comments `n` of a project `p` that the viewer may read: on visible records; internal ones only for members.
 */
function readableNotes(viewer: Viewer): RawBuilder<SqlBool> {
  const isReporter = seesAll(viewer.actor) ? sql<SqlBool>`1` : projectsOfMember(viewer, REPORTER, 'check')
  const issue = sql`EXISTS (SELECT 1 FROM issues i WHERE i.id = n.noteable_id AND ${visibleIssues(viewer)})`
  return sql<SqlBool>`((n.internal = 0 OR ${isReporter}) AND CASE n.noteable_type
    WHEN 'Commit' THEN ${projectsWithFeature(viewer, 'repository')}
    WHEN 'MergeRequest' THEN ${projectsWithFeature(viewer, 'merge_requests')}
    WHEN 'Issue' THEN ${projectsWithFeature(viewer, 'issues')} AND ${issue}
    ELSE ${projectsWithFeature(viewer, 'snippets')} AND ${readableSnippet(viewer)} END)`
}

function readableSnippet(viewer: Viewer): RawBuilder<SqlBool> {
  const { actor } = viewer
  const visibilities =
    actor.kind === 'user' && !actor.external ? sql`('public', 'internal')` : sql`('public')`
  const isGuest = seesAll(actor) ? sql`1` : projectsOfMember(viewer, GUEST, 'check')
  return sql<SqlBool>`EXISTS (SELECT 1 FROM snippets s WHERE s.id = n.noteable_id
    AND (s.visibility IN ${visibilities} OR s.author_id = ${actor.id} OR ${isGuest}))`
}

/** Returns the IDs of active projects with code that the viewer may read, the last active first. */
export function projectsWithCode(
  db: Database,
  viewer: Viewer,
  {
    namespace_ids,
    limit,
  }: { readonly namespace_ids?: readonly number[] | undefined; readonly limit: number },
): number[] {
  const inNamespaces =
    namespace_ids === undefined
      ? sql<SqlBool>`1`
      : sql<SqlBool>`p.namespace_id IN (SELECT value FROM json_each(${jsonList(namespace_ids)}))`
  const rows = selectAll(
    db,
    sql<{ id: number }>`SELECT p.id FROM projects p
      WHERE p.archived = 0 AND ${inNamespaces} AND ${projectsWithFeature(viewer, 'repository')}
      ORDER BY p.last_activity_at DESC, p.id DESC LIMIT ${limit}`,
  )
  return rows.map((row) => row.id)
}

/** A comment with the number of its record. */
export interface NoteMatch {
  readonly id: number
  readonly iid: number | null
}

const IID = sql`CASE n.noteable_type WHEN 'Issue' THEN (SELECT iid FROM issues WHERE id = n.noteable_id)
  WHEN 'MergeRequest' THEN (SELECT iid FROM merge_requests WHERE id = n.noteable_id) END`

/** Searches the comments of a project. */
export function notes(
  db: Database,
  viewer: Viewer,
  query: SearchText,
  scope: PageWindow & { readonly project_id: number },
): { rows: NoteMatch[]; total: number } {
  const from = sql`FROM notes n CROSS JOIN projects p ON p.id = n.project_id
    WHERE n.project_id = ${scope.project_id} AND n.system = 0 AND ${containsText('n.note', query.search)} AND ${readableNotes(viewer)}`
  const rows = selectAll(
    db,
    sql<NoteMatch>`SELECT n.id, ${IID} AS iid ${from} ORDER BY n.id ${order(query.sort)} LIMIT ${scope.limit} OFFSET ${scope.offset}`,
  )
  return { rows, total: boundedCount(db, sql`SELECT n.id ${from}`) }
}
