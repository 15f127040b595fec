import type { Selectable } from 'kysely'

import { q, type Database } from '../../../db/database.ts'
import type { ScimTokensTable } from '../../../db/schema.gen.ts'

/** A token of an identity provider as stored; its text is not. */
export type ScimTokenRow = Selectable<ScimTokensTable>

/** The token of a group, or of the instance (null). */
export function ofPlace(db: Database, groupId: number | null): ScimTokenRow | undefined {
  return groupId === null
    ? db.one<ScimTokenRow>('SELECT * FROM scim_tokens WHERE group_id IS NULL')
    : db.one<ScimTokenRow>('SELECT * FROM scim_tokens WHERE group_id = ?', groupId)
}

export function insert(db: Database, row: Omit<ScimTokenRow, 'id'>): ScimTokenRow {
  return db.get(q.insertInto('scim_tokens').values(row).returningAll())!
}

export function remove(db: Database, id: number): void {
  db.exec('DELETE FROM scim_tokens WHERE id = ?', id)
}
