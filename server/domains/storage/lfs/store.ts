import type { Selectable } from 'kysely'

import { jsonList, q, type Database } from '../../../db/database.ts'
import type { LfsObjectsTable } from '../../../db/schema.gen.ts'
import type { Project } from '../../projects/index.ts'

/** A stored LFS object. All its references share one row. */
export type LfsObjectRow = Selectable<LfsObjectsTable>

/** The repository of a project that refers to an object: the code (0), the wiki (1) or designs (2). */
export type RepositoryType = 0 | 1 | 2

/** An LFS object of a project, and the repositories that refer to it. */
export interface LinkedObject {
  readonly oid: string
  /** Bytes. */
  readonly size: number
  readonly types: number[]
}

export function byOid(db: Database, oid: string): LfsObjectRow | undefined {
  return db.get(q.selectFrom('lfs_objects').selectAll().where('oid', '=', oid))
}

/** Those of the digests that have a row. */
export function existingOids(db: Database, oids: readonly string[]): Set<string> {
  const rows = db.many<{ oid: string }>(
    'SELECT oid FROM lfs_objects WHERE oid IN (SELECT value FROM json_each(?))',
    jsonList(oids),
  )
  return new Set(rows.map(({ oid }) => oid))
}

/** Those of the digests that a repository of a project refers to, with the sizes of the objects in bytes. */
export function linkedAmong(
  db: Database,
  projectId: number,
  type: RepositoryType,
  oids: readonly string[],
): Map<string, number> {
  const rows = db.many<{ oid: string; size: number }>(
    `SELECT o.oid, o.size FROM lfs_objects o
     JOIN lfs_objects_projects l ON l.lfs_object_id = o.id AND l.project_id = ? AND l.repository_type = ?
     WHERE o.oid IN (SELECT value FROM json_each(?))`,
    projectId,
    type,
    jsonList(oids),
  )
  return new Map(rows.map(({ oid, size }) => [oid, size]))
}

/** All LFS objects of a project, oldest first. */
export function allOf(db: Pick<Database, 'many'>, projectId: number): LinkedObject[] {
  const rows = db.many<{ oid: string; size: number; types: string }>(
    `SELECT o.oid, o.size, json_group_array(l.repository_type) AS types
     FROM lfs_objects_projects l JOIN lfs_objects o ON o.id = l.lfs_object_id
     WHERE l.project_id = ? GROUP BY o.id ORDER BY o.id`,
    projectId,
  )
  return rows.map(({ oid, size, types }) => ({
    oid,
    size,
    types: (JSON.parse(types) as number[]).toSorted((a, b) => a - b),
  }))
}

/** Adds an object unless it exists. Returns its row. */
export function insert(db: Database, oid: string, size: number, now: string): LfsObjectRow {
  db.exec(
    'INSERT INTO lfs_objects (oid, size, created_at) VALUES (?, ?, ?) ON CONFLICT (oid) DO NOTHING',
    oid,
    size,
    now,
  )
  return byOid(db, oid)!
}

/** Adds a reference from a repository of a project to an object. */
export function link(
  db: Database,
  repository: { projectId: number; type: number },
  objectId: number,
  now: string,
): void {
  db.exec(
    `INSERT INTO lfs_objects_projects (lfs_object_id, project_id, repository_type, created_at) VALUES (?, ?, ?, ?)
     ON CONFLICT DO NOTHING`,
    objectId,
    repository.projectId,
    repository.type,
    now,
  )
}

/** A batch of references of a project's code with IDs above `after`: the IDs of the references and of the objects. */
export function referencesAfter(
  db: Database,
  projectId: number,
  after: number,
  limit: number,
): { id: number; lfs_object_id: number }[] {
  return db.many(
    `SELECT id, lfs_object_id FROM lfs_objects_projects
     WHERE project_id = ? AND repository_type = 0 AND id > ? ORDER BY id LIMIT ?`,
    projectId,
    after,
    limit,
  )
}

/** Objects without references that were stored before a time. */
export function unreferred(db: Database, before: string, limit: number): LfsObjectRow[] {
  return db.many(
    `SELECT o.* FROM lfs_objects o WHERE o.created_at < ?
     AND NOT EXISTS (SELECT 1 FROM lfs_objects_projects l WHERE l.lfs_object_id = o.id) ORDER BY o.id LIMIT ?`,
    before,
    limit,
  )
}

/** Deletes the row of an object if nothing refers to it. Returns whether the row was deleted. */
export function removeUnreferred(db: Database, id: number): boolean {
  const { changes } = db.exec(
    `DELETE FROM lfs_objects WHERE id = ?
     AND NOT EXISTS (SELECT 1 FROM lfs_objects_projects l WHERE l.lfs_object_id = lfs_objects.id)`,
    id,
  )
  return changes > 0
}

/** Whether LFS is enabled in the settings of a project and of all its ancestors. */
export function isLfsEnabled(
  { db }: { readonly db: Database },
  { lfs_enabled, lineage }: Pick<Project, 'lfs_enabled' | 'lineage'>,
): boolean {
  if (!lfs_enabled) return false
  return db.rememberRows(
    `lfs-groups:${lineage}`,
    () =>
      db.one(
        `SELECT 1 FROM namespaces WHERE id IN (SELECT value FROM json_each(?)) AND lfs_enabled = 0`,
        lineage,
      ) === undefined,
  )
}

type NetworkProject = Pick<Project, 'id' | 'fork_network_id'>

/** Selects the other projects of the same fork network. `othersParameters` returns its parameters. */
const OTHERS = `SELECT id FROM projects WHERE fork_network_id = ? AND id <> ? UNION SELECT id FROM projects WHERE id = ? AND id <> ?`

function othersParameters({ id, fork_network_id }: NetworkProject): number[] {
  const network = fork_network_id ?? id
  return [network, id, network, id]
}

/** Whether another project of the same fork network has LFS objects. */
export function networkHasObjects(db: Database, project: NetworkProject): boolean {
  return db.rememberRows(
    `lfs-network:${project.fork_network_id ?? project.id}:${project.id}`,
    () =>
      db.one(
        `SELECT 1 FROM lfs_objects_projects WHERE project_id IN (${OTHERS}) LIMIT 1`,
        ...othersParameters(project),
      ) !== undefined,
  )
}

/** The other projects of the same fork network that refer to the given LFS objects. */
export function networkObjects(
  db: Database,
  project: NetworkProject,
  oids: readonly string[],
): { oid: string; project_id: number }[] {
  return db.many(
    `SELECT o.oid, l.project_id FROM lfs_objects o JOIN lfs_objects_projects l ON l.lfs_object_id = o.id
     WHERE l.repository_type = 0 AND l.project_id IN (${OTHERS}) AND o.oid IN (SELECT value FROM json_each(?))`,
    ...othersParameters(project),
    jsonList(oids),
  )
}
