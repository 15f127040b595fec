import type { Database } from '../../../db/database.ts'

/** Whether the project has forks. */
export function hasForks(db: Database, id: number): boolean {
  const sql = 'SELECT EXISTS (SELECT 1 FROM projects WHERE forked_from_project_id = ?) AS found'
  return db.one<{ found: number }>(sql, id)!.found === 1
}

/** Whether `id` is the project `of` or one that it was forked from, directly or not. */
export function isAncestor(db: Database, id: number, of: number): boolean {
  return (
    db.one<{ found: number }>(
      `WITH RECURSIVE up (id, parent) AS (
         SELECT id, forked_from_project_id FROM projects WHERE id = ?
         UNION SELECT p.id, p.forked_from_project_id FROM projects p JOIN up ON p.id = up.parent)
       SELECT EXISTS (SELECT 1 FROM up WHERE id = ?) AS found`,
      of,
      id,
    )!.found === 1
  )
}
