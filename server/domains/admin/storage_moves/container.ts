import type { Database } from '../../../db/database.ts'
import { type Kind, TABLES } from './store.ts'

/** Makes a repository read-only, or writable again. */
export function setReadOnly(db: Database, kind: Kind, id: number, isReadOnly: boolean): void {
  const { table, id: key } = TABLES[kind]
  db.exec(`UPDATE ${table} SET repository_read_only = ? WHERE ${key} = ?`, Number(isReadOnly), id)
}
