import type { Database } from '../../db/database.ts'

/** A storage as an administrator added it. */
export interface StorageRow {
  readonly name: string
  readonly folder: string
  readonly created_at: string
}

export function all(db: Database): StorageRow[] {
  return db.many<StorageRow>('SELECT * FROM repository_storages ORDER BY name')
}
