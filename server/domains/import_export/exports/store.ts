import type { Selectable } from 'kysely'

import type { Database } from '../../../db/database.ts'
import type { ExportsTable } from '../../../db/schema.gen.ts'
import type { SnippetRow } from '../../snippets/index.ts'
import type { Owner } from '../relations/relation.ts'

/** A connection to the database, of the main thread or a worker thread. */
interface Db {
  many<T>(sql: string, ...parameters: readonly unknown[]): T[]
}

/** Number of rows that one statement reads. */
const PAGE_SIZE = 500

/**
 * Iterates over rows by id in pages, so that no statement stays open while files are packed. The parameters of `sql`
 * are the owner, the last ID and the limit.
 */
function* rowsById<Row extends { readonly id: number }>(
  db: Db,
  sql: string,
  ownerId: number,
): Generator<Row> {
  for (let last = 0; ;) {
    const rows = db.many<Row>(sql, ownerId, last, PAGE_SIZE)
    yield* rows
    if (rows.length < PAGE_SIZE) return
    last = rows.at(-1)!.id
  }
}

interface Upload {
  readonly id: number
  readonly secret: string
  readonly file_name: string
}

/** The uploads of a project. */
export function uploadsOf(db: Db, projectId: number): Generator<Upload> {
  const uploads =
    'SELECT id, secret, file_name FROM uploads WHERE project_id = ? AND id > ? ORDER BY id LIMIT ?'
  return rowsById<Upload>(db, uploads, projectId)
}

interface LfsObject {
  readonly id: number
  readonly oid: string
  /** The kinds of repositories that refer to it, as JSON. */
  readonly types: string
}

/** The LFS objects of a project. */
export function lfsObjectsOf(db: Db, projectId: number): Generator<LfsObject> {
  return rowsById<LfsObject>(
    db,
    `SELECT o.id, o.oid, json_group_array(p.repository_type) AS types
     FROM lfs_objects_projects p JOIN lfs_objects o ON o.id = p.lfs_object_id
     WHERE p.project_id = ? AND o.id > ? GROUP BY o.id ORDER BY o.id LIMIT ?`,
    projectId,
  )
}

/** The snippets of a project that have a repository. */
export function snippetsOf(db: Db, projectId: number): Generator<SnippetRow> {
  return rowsById<SnippetRow>(
    db,
    `SELECT * FROM snippets WHERE project_id = ? AND repository_state = 'ready' AND id > ? ORDER BY id LIMIT ?`,
    projectId,
  )
}

/** The export of a project or group into an archive, as stored. */
export type Export = Selectable<ExportsTable>
export type ProjectExport = Export & { project_id: number }
export type GroupExport = Export & { group_id: number }

const ownedBy = ({ kind }: Owner): string => `${kind}_id = ?`
const ofKind = (kind: Owner['kind']): string => `${kind}_id IS NOT NULL`

export function projectExportById(db: Database, id: number): ProjectExport | undefined {
  return db.one<ProjectExport>(`SELECT * FROM exports WHERE id = ? AND ${ofKind('project')}`, id)
}

export function groupExportById(db: Database, id: number): GroupExport | undefined {
  return db.one<GroupExport>(`SELECT * FROM exports WHERE id = ? AND ${ofKind('group')}`, id)
}

/** The latest export of a project or group. */
export function newest(db: Database, owner: Owner): Export | undefined {
  return db.one<Export>(`SELECT * FROM exports WHERE ${ownedBy(owner)} ORDER BY id DESC LIMIT 1`, owner.id)
}

/** The latest export with an archive that can be downloaded. */
export function newestWithFile(db: Database, owner: Owner, now: string): Export | undefined {
  return db.one<Export>(
    `SELECT * FROM exports WHERE ${ownedBy(owner)} AND file IS NOT NULL AND (expires_at IS NULL OR expires_at > ?)
     ORDER BY id DESC LIMIT 1`,
    owner.id,
    now,
  )
}

export function insertProjectExport(
  db: Database,
  row: Pick<ProjectExport, 'project_id' | 'user_id' | 'description' | 'upload_url' | 'upload_method'>,
  now: string,
): ProjectExport {
  return db.one<ProjectExport>(
    `INSERT INTO exports (project_id, user_id, description, upload_url, upload_method, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING *`,
    row.project_id,
    row.user_id,
    row.description,
    row.upload_url,
    row.upload_method,
    now,
    now,
  )!
}

export function insertGroupExport(
  db: Database,
  groupId: number,
  userId: number | null,
  now: string,
): GroupExport {
  return db.one<GroupExport>(
    'INSERT INTO exports (group_id, user_id, created_at, updated_at) VALUES (?, ?, ?, ?) RETURNING *',
    groupId,
    userId,
    now,
    now,
  )!
}

export function update<Row extends Export>(
  db: Database,
  id: number,
  changes: Partial<Row>,
  now: string,
): Row | undefined {
  const entries = Object.entries({ ...changes, updated_at: now })
  const set = entries.map(([name]) => `${name} = ?`).join(', ')
  return db.one<Row>(
    `UPDATE exports SET ${set} WHERE id = ? RETURNING *`,
    ...entries.map(([, value]) => value),
    id,
  )
}

/** Deletes all exports of the owner that are older than one of them. Returns their files. */
export function deleteOlder(db: Database, owner: Owner, id: number): string[] {
  const rows = db.many<{ file: string | null }>(
    `DELETE FROM exports WHERE ${ownedBy(owner)} AND id < ? RETURNING file`,
    owner.id,
    id,
  )
  return rows.flatMap(({ file }) => file ?? [])
}

/** Clears expired files in their rows. Returns their names. */
export function expire(db: Database, kind: Owner['kind'], now: string): string[] {
  const expired = `file IS NOT NULL AND ${ofKind(kind)} AND expires_at <= ?`
  const rows = db.many<{ file: string }>(`SELECT file FROM exports WHERE ${expired}`, now)
  db.exec(`UPDATE exports SET file = NULL, upload_url = NULL WHERE ${expired}`, now)
  return rows.map(({ file }) => file)
}

/** Names of all files that a row refers to. */
export function filesOf(db: Database, kind: Owner['kind']): Set<string> {
  const files = `SELECT file FROM exports WHERE file IS NOT NULL AND ${ofKind(kind)}`
  return new Set(db.many<{ file: string }>(files).map(({ file }) => file))
}

/** Clears the file of a row. */
export function clearFile(db: Database, file: string): void {
  db.exec('UPDATE exports SET file = NULL WHERE file = ? AND project_id IS NOT NULL', file)
}

const INTERRUPTED = `project_id IS NOT NULL AND (state IN ('queued', 'started') OR after_state = 'running')
  AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.name IN ('transfer.export_project', 'transfer.upload_export')
    AND j.state IN ('ready', 'running') AND json_extract(j.args, '$.export_id') = exports.id)`

/** Marks exports of projects as failed that a crash left without a job. */
export function failInterrupted(db: Database, now: string): void {
  db.exec(
    `UPDATE exports SET state = CASE state WHEN 'finished' THEN state ELSE 'failed' END,
       after_state = CASE after_state WHEN 'running' THEN 'failed' ELSE after_state END,
       error = 'The export was cut off.', step = NULL, upload_url = NULL, updated_at = ?, finished_at = ?
     WHERE ${INTERRUPTED}`,
    now,
    now,
  )
}
