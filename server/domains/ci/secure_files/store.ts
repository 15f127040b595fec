import type { Selectable } from 'kysely'

import { jsonList, q, type Database } from '../../../db/database.ts'
import { boundedCount } from '../../../db/lists.ts'
import type { Rows } from '../../../db/rows.ts'
import type { SecureFilesTable } from '../../../db/schema.gen.ts'
import { table } from '../../../db/table.ts'

/** The row of a secure file. Its content is a file on disk. */
export type SecureFileRow = Selectable<SecureFilesTable>

function ofProject(projectId: number) {
  return q.selectFrom('secure_files').where('project_id', '=', projectId)
}

/** A page of the files of a project, oldest first. */
export function list(
  db: Database,
  projectId: number,
  paging: { limit: number; offset: number },
): Rows<SecureFileRow> {
  const query = ofProject(projectId)
  const rows = db.all(query.selectAll().orderBy('id').limit(paging.limit).offset(paging.offset))
  return { rows, total: boundedCount(db, query.select('id')) }
}

export function byProjectAndId(db: Database, projectId: number, id: number): SecureFileRow | undefined {
  return db.get(ofProject(projectId).selectAll().where('id', '=', id))
}

export const { byId, insert, remove } = table('secure_files')

export function byName(db: Database, projectId: number, name: string): SecureFileRow | undefined {
  return db.get(ofProject(projectId).selectAll().where('name', '=', name))
}

/** The number of files of a project. */
export function count(db: Database, projectId: number): number {
  return db.get(ofProject(projectId).select((eb) => eb.fn.countAll<number>().as('count')))!.count
}

/** Stores the metadata of a file. Returns false if the file was deleted. */
export function setMetadata(
  db: Database,
  id: number,
  columns: Pick<SecureFileRow, 'metadata' | 'expires_at'>,
): boolean {
  return db.get(q.updateTable('secure_files').set(columns).where('id', '=', id).returning('id')) !== undefined
}

/** Those of the stored names in the folder of a project that no row refers to. */
export function unreferencedNames(db: Database, projectId: number, names: readonly string[]): string[] {
  const sql = `SELECT value AS name FROM json_each(?)
    WHERE value NOT IN (SELECT stored_as FROM secure_files WHERE project_id = ?)`
  return db.many<{ name: string }>(sql, jsonList(names), projectId).map((row) => row.name)
}
