import type { Selectable } from 'kysely'

import { jsonList, q, type Database } from '../../../db/database.ts'
import type { LfsObjectsTable } from '../../../db/schema.gen.ts'
import type { Project } from '../../projects/index.ts'

/** A stored LFS object, once for all its references. */
export type LfsObjectRow = Selectable<LfsObjectsTable>

/** The source of a reference: the code of a project (0), its wiki (1), its designs (2). */
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

/** Which of the digests have a row. */
export function existingOids(db: Database, oids: readonly string[]): Set<string> {
  const rows = db.many<{ oid: string }>(
    'SELECT oid FROM lfs_objects WHERE oid IN (SELECT value FROM json_each(?))',
    jsonList(oids),
  )
  return new Set(rows.map(({ oid }) => oid))
}

/** Sizes of the objects that a repository of a project refers to. */
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

/** Adds an object; an existing one stays. */
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

/** A batch of references of a project's code after `after`: their ids and those of the objects. */
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

/** Objects without references since a time, at most `limit`. */
export function unreferred(db: Database, before: string, limit: number): LfsObjectRow[] {
  return db.many(
    `SELECT o.* FROM lfs_objects o WHERE o.created_at < ?
     AND NOT EXISTS (SELECT 1 FROM lfs_objects_projects l WHERE l.lfs_object_id = o.id) ORDER BY o.id LIMIT ?`,
    before,
    limit,
  )
}

/** Deletes the row of an object without references. Returns true if it deleted the row. */
export function removeUnreferred(db: Database, id: number): boolean {
  const { changes } = db.exec(
    `DELETE FROM lfs_objects WHERE id = ?
     AND NOT EXISTS (SELECT 1 FROM lfs_objects_projects l WHERE l.lfs_object_id = lfs_objects.id)`,
    id,
  )
  return changes > 0
}

/** True for a project with LFS enabled, in its own settings and in those of its ancestors. */
export function keepsLargeFiles(
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
type Related = Pick<Project, 'id' | 'fork_network_id'>

/** Other projects of the same fork network; parameters: see `others`. */
const OTHERS = `SELECT id FROM projects WHERE fork_network_id = ? AND id <> ? UNION SELECT id FROM projects WHERE id = ? AND id <> ?`

function others({ id, fork_network_id }: Related): number[] {
  const network = fork_network_id ?? id
  return [network, id, network, id]
}

/** True if another project of the same fork network has LFS objects. */
export function networkHasObjects(db: Database, project: Related): boolean {
  return db.rememberRows(
    `lfs-network:${project.fork_network_id ?? project.id}:${project.id}`,
    () =>
      db.one(
        `SELECT 1 FROM lfs_objects_projects WHERE project_id IN (${OTHERS}) LIMIT 1`,
        ...others(project),
      ) !== undefined,
  )
}

/** Which other projects of the same fork network refer to some LFS objects. */
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
