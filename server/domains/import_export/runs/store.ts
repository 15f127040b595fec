import type { Selectable } from 'kysely'

import { q, type Database } from '../../../db/database.ts'
import type { ImportRunsTable } from '../../../db/schema.gen.ts'

/** How a project is being filled, or was; its status stands in the project. */
export type Run = Selectable<ImportRunsTable>
export type RunColumns = Omit<Run, 'id' | 'project_id'>

export function byProject(db: Database, projectId: number): Run | undefined {
  return db.one<Run>('SELECT * FROM import_runs WHERE project_id = ?', projectId)
}

/** Stores how a project is to be filled, in place of how it was before. */
export function put(db: Database, projectId: number, columns: Partial<RunColumns> & NewRun): Run {
  db.exec('DELETE FROM import_runs WHERE project_id = ?', projectId)
  db.run(q.insertInto('import_runs').values({ ...columns, project_id: projectId }))
  return byProject(db, projectId)!
}

type NewRun = Pick<RunColumns, 'correlation_id' | 'created_at' | 'updated_at'>

export function update(db: Database, projectId: number, changes: Partial<RunColumns>): void {
  db.run(q.updateTable('import_runs').set(changes).where('project_id', '=', projectId))
}

/** Projects that are being filled and of which nothing was heard since that time. */
export function silentSince(db: Database, time: string): number[] {
  const sql = `SELECT r.project_id FROM import_runs r JOIN projects p ON p.id = r.project_id
    WHERE p.import_status IN ('scheduled', 'started') AND coalesce(r.heartbeat_at, r.created_at) < ?`
  return db.many<{ project_id: number }>(sql, time).map((row) => row.project_id)
}

/** Names of the archives that are still needed. */
export function filesInUse(db: Database): Set<string> {
  const rows = db.many<{ file: string }>(
    `SELECT file FROM import_runs WHERE file IS NOT NULL
     UNION ALL SELECT file FROM relation_imports WHERE file IS NOT NULL`,
  )
  return new Set(rows.map((row) => row.file))
}

/** Projects whose archives may still be on their way. */
export function partsInUse(db: Database): number[] {
  const sql = `SELECT r.project_id FROM import_runs r JOIN projects p ON p.id = r.project_id
    WHERE p.import_status IN ('scheduled', 'started')`
  return db.many<{ project_id: number }>(sql).map((row) => row.project_id)
}

/** Whether a project is being imported, or soon will be. */
export function isUnderWay(db: Database, projectId: number): boolean {
  const sql = "SELECT 1 FROM projects WHERE id = ? AND import_status IN ('scheduled', 'started')"
  return db.one(sql, projectId) !== undefined
}
