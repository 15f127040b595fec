import { jsonList, q, type Database } from '../../../db/database.ts'
import type { Selectable } from 'kysely'
import type { LfsObjectsTable } from '../../../db/schema.gen.ts'

/** A large file that is kept here, once for all that refer to it. */
export type LfsObjectRow = Selectable<LfsObjectsTable>

/** What refers to a large file: the code of a project (0), its wiki (1), its designs (2). */
export type RepositoryType = 0 | 1 | 2

/** A large file of a project, and which of its repositories refer to it. */
export interface LinkedObject {
  readonly oid: string
  /** Bytes. */
  readonly size: number
  readonly types: number[]
}

export function byOid(db: Database, oid: string): LfsObjectRow | undefined {
  return db.get(q.selectFrom('lfs_objects').selectAll().where('oid', '=', oid))
}

/** Those of the digests that are noted. */
export function known(db: Database, oids: readonly string[]): Set<string> {
  const rows = db.many<{ oid: string }>(
    'SELECT oid FROM lfs_objects WHERE oid IN (SELECT value FROM json_each(?))',
    jsonList(oids),
  )
  return new Set(rows.map(({ oid }) => oid))
}

/** Sizes of those of the digests that a repository of a project refers to. */
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

/** All large files of a project, oldest first. */
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

/** Notes a large file; the one that is there stays. */
export function insert(db: Database, oid: string, size: number, now: string): LfsObjectRow {
  db.exec(
    'INSERT INTO lfs_objects (oid, size, created_at) VALUES (?, ?, ?) ON CONFLICT (oid) DO NOTHING',
    oid,
    size,
    now,
  )
  return byOid(db, oid)!
}

/** Notes that a repository of a project refers to a large file. */
export function link(
  db: Database,
  place: { projectId: number; type: number },
  objectId: number,
  now: string,
): void {
  db.exec(
    `INSERT INTO lfs_objects_projects (lfs_object_id, project_id, repository_type, created_at) VALUES (?, ?, ?, ?)
     ON CONFLICT DO NOTHING`,
    objectId,
    place.projectId,
    place.type,
    now,
  )
}

/** What the code of a project refers to, some at a time: ids of references after `after`, and of their large files. */
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

/** Large files that nobody refers to since a moment, at most `limit`. */
export function unreferred(db: Database, before: string, limit: number): LfsObjectRow[] {
  return db.many(
    `SELECT o.* FROM lfs_objects o WHERE o.created_at < ?
     AND NOT EXISTS (SELECT 1 FROM lfs_objects_projects l WHERE l.lfs_object_id = o.id) ORDER BY o.id LIMIT ?`,
    before,
    limit,
  )
}

/** Forgets a large file, unless somebody refers to it. True where it went. */
export function removeUnreferred(db: Database, id: number): boolean {
  const { changes } = db.exec(
    `DELETE FROM lfs_objects WHERE id = ?
     AND NOT EXISTS (SELECT 1 FROM lfs_objects_projects l WHERE l.lfs_object_id = lfs_objects.id)`,
    id,
  )
  return changes > 0
}
