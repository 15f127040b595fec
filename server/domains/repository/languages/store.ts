import type { Database } from '../../../db/database.ts'

/** The stored languages of a project, the most used first. */
export function ofProject(db: Database, projectId: number): [name: string, share: number][] {
  const sql = 'SELECT name, share FROM project_languages WHERE project_id = ? ORDER BY share DESC, name'
  return db.many<{ name: string; share: number }>(sql, projectId).map(({ name, share }) => [name, share])
}

/** Replaces the languages of a project. Runs in the caller's transaction. */
export function replace(
  db: Database,
  projectId: number,
  shares: readonly (readonly [name: string, share: number])[],
): void {
  db.exec('DELETE FROM project_languages WHERE project_id = ?', projectId)
  const sql = 'INSERT INTO project_languages (project_id, name, share) VALUES (?, ?, ?)'
  for (const [name, share] of shares) db.exec(sql, projectId, name, share)
}
