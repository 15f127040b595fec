import { jsonList, type Database } from '../../../db/database.ts'

/** Whether a failure of an import is recorded. */
export function hasFailure(db: Database, projectId: number, relation: string, source: string): boolean {
  const sql = 'SELECT 1 FROM import_failures WHERE project_id = ? AND relation_name = ? AND source = ?'
  return db.one(sql, projectId, relation, source) !== undefined
}

/** The projects that were imported from these repositories (`KEY/slug`) of an instance, oldest first. */
export function importsOfRepositories(
  db: Database,
  importType: string,
  web: string,
  repositories: readonly string[],
): { project_id: number; import_source: string }[] {
  return db.many(
    `SELECT r.project_id, r.import_source FROM import_runs r JOIN projects p ON p.id = r.project_id
     WHERE p.import_type = ? AND p.import_status IN ('scheduled', 'started', 'finished')
       AND json_extract(r.source, '$.url') = ? AND r.import_source IN (SELECT value FROM json_each(?)) ORDER BY r.id`,
    importType,
    web,
    jsonList(repositories),
  )
}
