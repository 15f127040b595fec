import type { Database } from '../../../db/database.ts'

/** Whether the project has forks. */
export function hasForks(db: Database, id: number): boolean {
  const sql = 'SELECT EXISTS (SELECT 1 FROM projects WHERE forked_from_project_id = ?) AS found'
  return db.one<{ found: number }>(sql, id)!.found === 1
}

/** Whether a project is the same as another, or one from which the other was forked, directly or indirectly. */
export function isAncestor(db: Database, id: number, descendantId: number): boolean {
  return (
    db.one<{ found: number }>(
      `WITH RECURSIVE up (id, parent) AS (
         SELECT id, forked_from_project_id FROM projects WHERE id = ?
         UNION SELECT p.id, p.forked_from_project_id FROM projects p JOIN up ON p.id = up.parent)
       SELECT EXISTS (SELECT 1 FROM up WHERE id = ?) AS found`,
      descendantId,
      id,
    )!.found === 1
  )
}
