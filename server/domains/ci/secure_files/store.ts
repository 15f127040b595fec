import type { Insertable, Selectable } from 'kysely'

import { jsonList, q, type Database } from '../../../db/database.ts'
import { boundedCount } from '../../../db/lists.ts'
import type { Rows } from '../../../db/rows.ts'
import type { SecureFilesTable } from '../../../db/schema.gen.ts'

/** A secure file as noted; its content lies on disk. */
export type SecureFileRow = Selectable<SecureFilesTable>

function ofProject(projectId: number) {
  return q.selectFrom('secure_files').where('project_id', '=', projectId)
}

/** One page of the files of a project, oldest first. */
export function list(
  db: Database,
  projectId: number,
  paging: { limit: number; offset: number },
): Rows<SecureFileRow> {
  const query = ofProject(projectId)
  const rows = db.all(query.selectAll().orderBy('id').limit(paging.limit).offset(paging.offset))
  return { rows, total: boundedCount(db, query.select('id')) }
}

export function one(db: Database, projectId: number, id: number): SecureFileRow | undefined {
  return db.get(ofProject(projectId).selectAll().where('id', '=', id))
}

export function byId(db: Database, id: number): SecureFileRow | undefined {
  return db.get(q.selectFrom('secure_files').selectAll().where('id', '=', id))
}

export function named(db: Database, projectId: number, name: string): SecureFileRow | undefined {
  return db.get(ofProject(projectId).selectAll().where('name', '=', name))
}

/** How many files a project has. */
export function count(db: Database, projectId: number): number {
  return db.get(ofProject(projectId).select((eb) => eb.fn.countAll<number>().as('count')))!.count
}

export function insert(db: Database, row: Insertable<SecureFilesTable>): SecureFileRow {
  return db.get(q.insertInto('secure_files').values(row).returningAll())!
}

/** Notes what a file says of itself. True where it is still there. */
export function describe(
  db: Database,
  id: number,
  columns: Pick<SecureFileRow, 'metadata' | 'expires_at'>,
): boolean {
  return db.get(q.updateTable('secure_files').set(columns).where('id', '=', id).returning('id')) !== undefined
}

export function remove(db: Database, id: number): void {
  db.run(q.deleteFrom('secure_files').where('id', '=', id))
}

/** Those of some stored names in the folder of a project that no row knows. */
export function unknownOf(db: Database, projectId: number, names: readonly string[]): string[] {
  const sql = `SELECT value AS name FROM json_each(?)
    WHERE value NOT IN (SELECT stored_as FROM secure_files WHERE project_id = ?)`
  return db.many<{ name: string }>(sql, jsonList(names), projectId).map((row) => row.name)
}
