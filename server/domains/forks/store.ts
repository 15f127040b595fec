import type { Database } from '../../db/database.ts'

/** Returns the fork network of a project. Creates it with the first fork. */
export function networkOf(db: Database, project: { id: number; fork_network_id: number | null }): number {
  const network = project.fork_network_id ?? project.id
  db.exec(
    'UPDATE projects SET fork_network_id = ? WHERE id = ? AND fork_network_id IS NULL',
    network,
    project.id,
  )
  return network
}

/** Sets the parent of a project, and the network of the project and all of its forks. */
export function link(db: Database, id: number, to: { parent: number | null; network: number | null }): void {
  const below = `WITH RECURSIVE below (id) AS (
    SELECT ? UNION SELECT p.id FROM projects p JOIN below ON p.forked_from_project_id = below.id)`
  db.exec('UPDATE projects SET forked_from_project_id = ? WHERE id = ?', to.parent, id)
  db.exec(
    `${below} UPDATE projects SET fork_network_id = ? WHERE id IN (SELECT id FROM below)`,
    id,
    to.network,
  )
}

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
