import type { Selectable } from 'kysely'

import type { Database } from '../../../db/database.ts'
import type { RelationExportsTable } from '../../../db/schema.gen.ts'
import type { Owner } from '../relations/relation.ts'

/** The export of one relation of a project or group, as stored. */
export type RelationExport = Selectable<RelationExportsTable>

/** Statuses, as stored and in answers (spec administration 6.7). */
export const STARTED = 0
export const FINISHED = 1
export const FAILED = -1

const column = ({ kind }: Owner): string => `${kind}_id`

export function ofOwner(db: Database, owner: Owner, relation?: string): RelationExport[] {
  const condition = relation === undefined ? '' : 'AND relation = ?'
  return db.many<RelationExport>(
    `SELECT * FROM relation_exports WHERE ${column(owner)} = ? ${condition} ORDER BY id`,
    owner.id,
    ...(relation === undefined ? [] : [relation]),
  )
}

export function find(db: Database, owner: Owner, relation: string): RelationExport | undefined {
  return ofOwner(db, owner, relation)[0]
}

export function byId(db: Database, id: number): RelationExport | undefined {
  return db.one<RelationExport>('SELECT * FROM relation_exports WHERE id = ?', id)
}

/** Starts the export of a relation. Returns the file of an earlier export, which is no longer used. */
export function begin(
  db: Database,
  owner: Owner,
  relation: string,
  { userId, batched, now }: { userId: number | null; batched: boolean; now: string },
): string | null {
  const existing = find(db, owner, relation)
  if (existing) {
    db.exec(
      `UPDATE relation_exports SET status = 0, user_id = ?, batched = ?, batches_count = 0, total_objects_count = 0,
         file = NULL, error = NULL, updated_at = ? WHERE id = ?`,
      userId,
      Number(batched),
      now,
      existing.id,
    )
    return existing.file
  }
  db.exec(
    `INSERT INTO relation_exports (${column(owner)}, user_id, relation, batched, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?)`,
    owner.id,
    userId,
    relation,
    Number(batched),
    now,
    now,
  )
  return null
}

/** Ends the export of a relation. Returns false if it was restarted or deleted in the meantime. */
export function end(
  db: Database,
  row: RelationExport,
  changes: Pick<RelationExport, 'status' | 'file' | 'error' | 'batches_count' | 'total_objects_count'>,
  now: string,
): boolean {
  const { status, file, error, batches_count, total_objects_count } = changes
  return (
    db.exec(
      `UPDATE relation_exports SET status = ?, file = ?, error = ?, batches_count = ?, total_objects_count = ?,
         updated_at = ? WHERE id = ? AND status = 0 AND updated_at = ?`,
      status,
      file,
      error,
      batches_count,
      total_objects_count,
      now,
      row.id,
      row.updated_at,
    ).changes > 0
  )
}

/** Deletes expired exports. Returns their files. */
export function expire(db: Database, before: string): string[] {
  const rows = db.many<{ file: string | null }>(
    'DELETE FROM relation_exports WHERE updated_at <= ? RETURNING file',
    before,
  )
  return rows.flatMap(({ file }) => (file === null ? [] : [file]))
}

/** Names of all files that a row refers to. */
export function filesOf(db: Database): Set<string> {
  const sql = 'SELECT file FROM relation_exports WHERE file IS NOT NULL'
  return new Set(db.many<{ file: string }>(sql).map(({ file }) => file))
}
