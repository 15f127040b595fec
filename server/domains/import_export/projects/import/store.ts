import type { Selectable } from 'kysely'

import type { Ctx } from '../../../../ctx.ts'
import { tx, type Database } from '../../../../db/database.ts'
import type { Rows } from '../../../../db/rows.ts'
import type { RelationImportsTable } from '../../../../db/schema.gen.ts'
import { isoDate } from '../../../../lib/clock.ts'
import { OWNER } from '../../../../policy/levels.ts'
import type { SnippetRow } from '../../../snippets/index.ts'
import type { Owner } from '../../relations/relation.ts'

/**
 * Reserves consecutive IDs of a table and returns the first one. Later inserts without an ID get higher ones. The IDs
 * that the import does not use stay unused.
 */
export function reserveIds(db: Database, table: string, count: number): number {
  return tx(db, () => {
    const raised = db.one<{ seq: number }>(
      'UPDATE sqlite_sequence SET seq = seq + ? WHERE name = ? RETURNING seq',
      count,
      table,
    )
    if (raised) return raised.seq - count + 1
    if (!db.one("SELECT 1 FROM sqlite_master WHERE name = ? AND sql LIKE '%AUTOINCREMENT%'", table))
      throw new Error(`The table ${table} may use an id again.`)
    db.exec('INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)', table, count)
    return 1
  })
}

const LINEAGE_OF = {
  project: 'SELECT n.lineage FROM projects p JOIN namespaces n ON n.id = p.namespace_id WHERE p.id = ?',
  group: 'SELECT lineage FROM namespaces WHERE id = ?',
}

/** Whether a user owns the top-level namespace of a project or group, which decides which protections are imported. */
export function ownsRoot({ db, now }: Pick<Ctx, 'db' | 'now'>, owner: Owner, userId: number): boolean {
  const row = db.one<{ lineage: string }>(LINEAGE_OF[owner.kind], owner.id)
  const [root] = row ? (JSON.parse(row.lineage) as number[]) : []
  const owns = `SELECT 1 FROM namespaces WHERE id = ? AND owner_id = ?
    UNION ALL SELECT 1 FROM members WHERE namespace_id = ? AND user_id = ? AND access_level >= ${OWNER}
      AND (expires_at IS NULL OR expires_at > ?)`
  return db.one(owns, root, userId, root, userId, isoDate(now)) !== undefined
}

/** A column that refers to the project of a row. */
export interface ProjectReference {
  readonly table: string
  readonly column: string
}

/** All columns that refer to a project with ON DELETE CASCADE. */
export function referencesToProjects(db: Database): ProjectReference[] {
  return db.many<ProjectReference>(
    `SELECT t.name AS "table", f."from" AS "column" FROM sqlite_master t, pragma_foreign_key_list(t.name) f
     WHERE t.type = 'table' AND f."table" = 'projects' AND f.on_delete = 'CASCADE'`,
  )
}

/**
 * Returns a function that deletes rows of a project and returns their number. In a table with IDs, one call deletes at
 * most `limit` rows. The importer stays a member.
 */
export function rowDeleter(
  db: Database,
  { table, column }: ProjectReference,
  { projectId, importer, limit }: { projectId: number; importer: number; limit: number },
): () => number {
  const others = table === 'members' ? `AND user_id <> ${importer}` : ''
  const hasIds = db.one(`SELECT 1 FROM pragma_table_info(?) WHERE name = 'id' AND pk = 1`, table)
  const statement = hasIds
    ? `DELETE FROM ${table} WHERE id IN (SELECT id FROM ${table} WHERE ${column} = ? ${others} ORDER BY id DESC LIMIT ${limit})`
    : `DELETE FROM ${table} WHERE ${column} = ? ${others}`
  return () => db.exec(statement, projectId).changes
}

/** Deletes a row that an import has written. */
export function deleteRow(db: Database, table: string, id: number): void {
  db.exec(`DELETE FROM ${table} WHERE id = ?`, id)
}

/** An imported merge request, with the commits that must be protected from garbage collection. */
export interface ImportedRequest {
  readonly id: number
  readonly iid: number
  readonly source_project_id: number | null
  readonly source_branch: string
  readonly target_branch: string
  readonly state: string
  readonly head: string
  readonly start: string | null
}

export function countRequests(db: Database, projectId: number): number {
  const count = 'SELECT count(*) AS total FROM merge_requests WHERE project_id = ?'
  return db.one<{ total: number }>(count, projectId)!.total
}

/** The next merge requests of a project that have a head commit, oldest first. */
export function requestsAfter(
  db: Database,
  projectId: number,
  { after, limit }: { after: number; limit: number },
): ImportedRequest[] {
  return db.many<ImportedRequest>(
    `SELECT r.id, r.iid, r.source_project_id, r.source_branch, r.target_branch, r.state,
       coalesce(d.head_commit_sha, r.head_sha) AS head, d.start_commit_sha AS start
     FROM merge_requests r LEFT JOIN merge_request_diffs d ON d.id = r.latest_diff_id
     WHERE r.project_id = ? AND r.id > ? AND coalesce(d.head_commit_sha, r.head_sha) IS NOT NULL
     ORDER BY r.id LIMIT ?`,
    projectId,
    after,
    limit,
  )
}

/** Whether another open merge request has the same source and target branch. */
export function hasOpenRequest(
  db: Database,
  projectId: number,
  { source, target, except }: { source: string; target: string; except: number },
): boolean {
  const other = `SELECT 1 FROM merge_requests WHERE source_project_id = ? AND source_branch = ? AND project_id = ?
    AND target_branch = ? AND state IN ('opened', 'locked') AND id <> ?`
  return db.one(other, projectId, source, projectId, target, except) !== undefined
}

export function textsOfRequest(
  db: Database,
  requestId: number,
): { title: string; description: string | null } | undefined {
  return db.one('SELECT title, description FROM merge_requests WHERE id = ?', requestId)
}

/** The imported snippet with this title and time that has no repository yet. */
export function pendingSnippet(
  db: Database,
  projectId: number,
  { title, createdAt }: { title: string | null; createdAt: string },
): SnippetRow | undefined {
  return db.one<SnippetRow>(
    `SELECT * FROM snippets WHERE project_id = ? AND repository_state = 'pending' AND title = ? AND created_at = ?
     ORDER BY id LIMIT 1`,
    projectId,
    title,
    createdAt,
  )
}

/** The import of one relation into an existing project, as stored. */
export type RelationImport = Selectable<RelationImportsTable>

/** Whether the import of a relation into the project is running. */
export function isImportingRelation(db: Database, projectId: number): boolean {
  const running = "SELECT 1 FROM relation_imports WHERE project_id = ? AND status IN ('created', 'started')"
  return db.one(running, projectId) !== undefined
}

/** One page of the relation imports of a project, newest first. */
export function relationImportsOf(
  db: Database,
  projectId: number,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Rows<RelationImport> {
  const rows = db.many<RelationImport>(
    'SELECT * FROM relation_imports WHERE project_id = ? ORDER BY id DESC LIMIT ? OFFSET ?',
    projectId,
    limit,
    offset,
  )
  const count = 'SELECT count(*) AS total FROM relation_imports WHERE project_id = ?'
  return { rows, total: db.one<{ total: number }>(count, projectId)!.total }
}

export function insertRelationImport(
  db: Database,
  row: Pick<RelationImport, 'project_id' | 'user_id' | 'relation'> & { readonly now: string },
): RelationImport {
  return db.one<RelationImport>(
    `INSERT INTO relation_imports (project_id, user_id, relation, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?) RETURNING *`,
    row.project_id,
    row.user_id,
    row.relation,
    row.now,
    row.now,
  )!
}

/** Updates a relation import. Returns undefined if the row was deleted with its project. */
export function updateRelationImport(
  db: Database,
  id: number,
  changes: Partial<Pick<RelationImport, 'status' | 'file' | 'error'>>,
  now: string,
): RelationImport | undefined {
  const names = Object.keys(changes) as (keyof typeof changes)[]
  return db.one<RelationImport>(
    `UPDATE relation_imports SET ${names.map((name) => `${name} = ?, `).join('')}updated_at = ? WHERE id = ? RETURNING *`,
    ...names.map((name) => changes[name]),
    now,
    id,
  )
}
