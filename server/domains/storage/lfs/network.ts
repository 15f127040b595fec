import { jsonList, type Database } from '../../../db/database.ts'
import type { Project } from '../../projects/index.ts'

type Related = Pick<Project, 'id' | 'fork_network_id'>

/** Other projects that were forked from each other, directly or not; parameters: see `others`. */
const OTHERS = `SELECT id FROM projects WHERE fork_network_id = ? AND id <> ? UNION SELECT id FROM projects WHERE id = ? AND id <> ?`

function others({ id, fork_network_id }: Related): number[] {
  const network = fork_network_id ?? id
  return [network, id, network, id]
}

/** True where another project of the same fork network has large files. */
export function networkHasObjects(db: Database, project: Related): boolean {
  return db.remember(
    `lfs-network:${project.fork_network_id ?? project.id}:${project.id}`,
    () =>
      db.one(
        `SELECT 1 FROM lfs_objects_projects WHERE project_id IN (${OTHERS}) LIMIT 1`,
        ...others(project),
      ) !== undefined,
  )
}

/** Which other projects of the same fork network refer to some large files. */
export function networkObjects(
  db: Database,
  project: Related,
  oids: readonly string[],
): { oid: string; project_id: number }[] {
  return db.many(
    `SELECT o.oid, l.project_id FROM lfs_objects o JOIN lfs_objects_projects l ON l.lfs_object_id = o.id
     WHERE l.repository_type = 0 AND l.project_id IN (${OTHERS}) AND o.oid IN (SELECT value FROM json_each(?))`,
    ...others(project),
    jsonList(oids),
  )
}
