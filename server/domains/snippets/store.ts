import { type Insertable, type RawBuilder, sql, type SqlBool } from 'kysely'

import { type Database, jsonList, q } from '../../db/database.ts'
import { boundedCount, selectAll } from '../../db/lists.ts'
import type { SnippetsTable } from '../../db/schema.gen.ts'
import { table } from '../../db/table.ts'
import { projectsOfMember, visibleProjects } from '../members/index.ts'
import type { SnippetRow } from './types.ts'

type Viewer = Parameters<typeof visibleProjects>[0]
type Condition = RawBuilder<SqlBool>

/** Filters for lists of snippets. */
export interface SnippetFilter {
  readonly author_id?: number | undefined
  readonly project_id?: number | undefined
  readonly visibility?: 'public' | undefined
  readonly created_after?: string | undefined
  readonly created_before?: string | undefined
  /** Words that must all occur in the title or description. */
  readonly search?: string | undefined
}

export function byId(db: Database, id: number): SnippetRow | undefined {
  return db.one<SnippetRow>("SELECT * FROM snippets WHERE id = ? AND repository_state = 'ready'", id)
}

/** The snippets with these IDs in any order, including unfinished ones. */
export function byIds(db: Database, ids: readonly number[]): SnippetRow[] {
  return db.many<SnippetRow>(
    'SELECT * FROM snippets WHERE id IN (SELECT value FROM json_each(?))',
    jsonList(ids),
  )
}

/** The folder with the repositories of a project's snippets. */
export function folderOfProject(projectId: number): string {
  return `@snippets/projects/${projectId}`
}

function diskPathOf(id: number, projectId: number | null): string {
  const folder = projectId === null ? `@snippets/${Math.floor(id / 1000)}` : folderOfProject(projectId)
  return `${folder}/${id}.git`
}

/** Inserts a snippet without a repository, and sets its path on disk. */
export function insert(db: Database, row: Omit<Insertable<SnippetsTable>, 'disk_path'>): SnippetRow {
  const { id } = db.run(q.insertInto('snippets').values({ ...row, disk_path: '' }))
  const diskPath = diskPathOf(Number(id), row.project_id ?? null)
  return db.one<SnippetRow>('UPDATE snippets SET disk_path = ? WHERE id = ? RETURNING *', diskPath, id)!
}

export const { update, remove } = table('snippets')

/** Snippets created before a time that never became ready. */
export function unfinished(db: Database, before: string): SnippetRow[] {
  return db.many<SnippetRow>(
    `SELECT * FROM snippets s WHERE repository_state = 'pending' AND created_at < ? AND NOT EXISTS (
       SELECT 1 FROM projects p WHERE p.id = s.project_id AND p.import_status IN ('scheduled', 'started'))`,
    before,
  )
}

/** The condition that the viewer may see a snippet (alias `s`) and that its project has snippets enabled. */
function visibleTo(viewer: Viewer): Condition {
  const { actor } = viewer
  if (actor.is_admin) return sql<SqlBool>`1`
  const isSignedIn = actor.kind === 'user'
  const levels = isSignedIn && !actor.external ? sql`('public', 'internal')` : sql`('public')`
  const isAuthor = isSignedIn ? sql`x.author_id = ${actor.id}` : sql`0`
  const member = projectsOfMember(viewer, undefined, 'check')
  // Ids from three indexes: a single condition with OR would read every snippet.
  return sql<SqlBool>`s.id IN (
    SELECT x.id FROM snippets x WHERE x.visibility IN ${levels} AND x.project_id IS NULL
    UNION ALL SELECT x.id FROM snippets x WHERE ${isAuthor} AND x.project_id IS NULL
    UNION ALL SELECT x.id FROM projects p JOIN snippets x ON x.project_id = p.id
      WHERE p.id IN (SELECT project_id FROM snippets WHERE project_id IS NOT NULL) AND ${visibleProjects(viewer, 'check')}
      AND (x.visibility IN ${levels} OR ${isAuthor} OR ${member})
      AND (p.snippets_access_level = 'enabled' OR (p.snippets_access_level = 'private' AND ${member})))`
}

function conditionsOf(viewer: Viewer, filter: SnippetFilter): Condition[] {
  const conditions: Condition[] = [sql<SqlBool>`s.repository_state = 'ready'`]
  if (filter.author_id !== undefined) conditions.push(sql<SqlBool>`s.author_id = ${filter.author_id}`)
  if (filter.project_id !== undefined) conditions.push(sql<SqlBool>`s.project_id = ${filter.project_id}`)
  if (filter.visibility) conditions.push(sql<SqlBool>`s.visibility = ${filter.visibility}`)
  if (filter.created_after) conditions.push(sql<SqlBool>`s.created_at >= ${filter.created_after}`)
  if (filter.created_before) conditions.push(sql<SqlBool>`s.created_at <= ${filter.created_before}`)
  if (filter.search) conditions.push(matches(filter.search))
  return [...conditions, visibleTo(viewer)]
}

/**
 * The condition that a snippet contains every word of a search. Words under three characters cannot use the trigram
 * index.
 */
function matches(search: string): Condition {
  const words = search.split(/\s+/).filter(Boolean)
  const conditions = words.map((word) =>
    [...word].length >= 3
      ? sql<SqlBool>`s.id IN (SELECT rowid FROM snippets_fts WHERE snippets_fts MATCH ${`"${word.replaceAll('"', '""')}"`})`
      : sql<SqlBool>`(instr(lower(s.title), lower(${word})) > 0 OR instr(lower(coalesce(s.description, '')), lower(${word})) > 0)`,
  )
  return conditions.length === 0 ? sql<SqlBool>`0` : sql<SqlBool>`(${sql.join(conditions, sql` AND `)})`
}

/** One page of snippets, newest first. */
export function list(
  db: Database,
  viewer: Viewer,
  filter: SnippetFilter,
  page: { readonly limit: number; readonly offset: number },
) {
  const from = sql`FROM snippets s WHERE ${sql.join(conditionsOf(viewer, filter), sql` AND `)}`
  const query = sql<SnippetRow>`SELECT s.* ${from} ORDER BY s.id DESC LIMIT ${page.limit} OFFSET ${page.offset}`
  return { rows: selectAll(db, query), total: boundedCount(db, sql`SELECT s.id ${from}`) }
}

/** Full paths of projects, by id. */
export function projectPaths(db: Database, ids: readonly number[]): Map<number, string> {
  const rows = db.many<{ id: number; path: string }>(
    `SELECT p.id, n.full_path || '/' || p.path AS path FROM projects p JOIN namespaces n ON n.id = p.namespace_id
     WHERE p.id IN (SELECT value FROM json_each(?))`,
    jsonList(ids),
  )
  return new Map(rows.map((row) => [row.id, row.path]))
}

/** The repository of a deleted snippet. */
interface DeletedSnippetRepository {
  id: number
  project_id: number | null
  repository_storage: string
  disk_path: string
}

/** Deletes all or only the personal snippets of a user, and returns their repositories. */
export function deleteSnippets(db: Database, userId: number, all: boolean): DeletedSnippetRepository[] {
  return db.many<DeletedSnippetRepository>(
    `DELETE FROM snippets WHERE author_id = ? ${all ? '' : 'AND project_id IS NULL'}
     RETURNING id, project_id, repository_storage, disk_path`,
    userId,
  )
}

/** Makes those snippets of a project private that have the given visibility. */
export function hideSnippets(db: Database, projectId: number, visibility: string): void {
  const statement = "UPDATE snippets SET visibility = 'private' WHERE project_id = ? AND visibility = ?"
  db.exec(statement, projectId, visibility)
}
