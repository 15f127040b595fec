import type { Selectable } from 'kysely'

import type { Database } from '../../../../db/database.ts'
import type { ExportsTable } from '../../../../db/schema.gen.ts'

/** An archive of a project that was asked for, as stored. */
export type ProjectExport = Selectable<ExportsTable> & { project_id: number }

export function byId(db: Database, id: number): ProjectExport | undefined {
  return db.one<ProjectExport>('SELECT * FROM exports WHERE id = ? AND project_id IS NOT NULL', id)
}

/** The one that was asked for last. */
export function newest(db: Database, projectId: number): ProjectExport | undefined {
  return db.one<ProjectExport>(
    'SELECT * FROM exports WHERE project_id = ? ORDER BY id DESC LIMIT 1',
    projectId,
  )
}

/** The one whose file can be downloaded. */
export function withFile(db: Database, projectId: number, now: string): ProjectExport | undefined {
  return db.one<ProjectExport>(
    `SELECT * FROM exports WHERE project_id = ? AND file IS NOT NULL AND (expires_at IS NULL OR expires_at > ?)
     ORDER BY id DESC LIMIT 1`,
    projectId,
    now,
  )
}

export function insert(
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

export function update(
  db: Database,
  id: number,
  changes: Partial<ProjectExport>,
  now: string,
): ProjectExport | undefined {
  const entries = Object.entries({ ...changes, updated_at: now })
  const set = entries.map(([name]) => `${name} = ?`).join(', ')
  return db.one<ProjectExport>(
    `UPDATE exports SET ${set} WHERE id = ? RETURNING *`,
    ...entries.map(([, value]) => value),
    id,
  )
}

/** Forgets the exports before one of them, and says which files they had. */
export function dropOlder(db: Database, { id, project_id }: ProjectExport): string[] {
  const rows = db.many<{ file: string | null }>(
    'DELETE FROM exports WHERE project_id = ? AND id < ? RETURNING file',
    project_id,
    id,
  )
  return rows.flatMap(({ file }) => file ?? [])
}

/** Forgets files whose time is over, and says which they were. */
export function expire(db: Database, now: string): string[] {
  const condition = 'file IS NOT NULL AND project_id IS NOT NULL AND expires_at <= ?'
  const rows = db.many<{ file: string }>(`SELECT file FROM exports WHERE ${condition}`, now)
  db.exec(`UPDATE exports SET file = NULL, upload_url = NULL WHERE ${condition}`, now)
  return rows.map(({ file }) => file)
}

/** Names of all files that a row knows. */
export function filesOf(db: Database): Set<string> {
  const sql = 'SELECT file FROM exports WHERE file IS NOT NULL AND project_id IS NOT NULL'
  return new Set(db.many<{ file: string }>(sql).map(({ file }) => file))
}

/** Takes a file off its row. */
export function forgetFile(db: Database, file: string): void {
  db.exec('UPDATE exports SET file = NULL WHERE file = ? AND project_id IS NOT NULL', file)
}

const FORSAKEN = `project_id IS NOT NULL AND (state IN ('queued', 'started') OR after_state = 'running')
  AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.name IN ('transfer.export_project', 'transfer.upload_export')
    AND j.state IN ('ready', 'running') AND json_extract(j.args, '$.export_id') = exports.id)`

/** Ends exports that nobody works on any more. */
export function endForsaken(db: Database, now: string): void {
  db.exec(
    `UPDATE exports SET state = CASE state WHEN 'finished' THEN state ELSE 'failed' END,
       after_state = CASE after_state WHEN 'running' THEN 'failed' ELSE after_state END,
       error = 'The export was cut off.', step = NULL, upload_url = NULL, updated_at = ?, finished_at = ?
     WHERE ${FORSAKEN}`,
    now,
    now,
  )
}
