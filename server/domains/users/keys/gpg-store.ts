import type { Insertable, Selectable } from 'kysely'

import { q, type Database } from '../../../db/database.ts'
import { boundedCount } from '../../../db/lists.ts'
import type { Rows } from '../../../db/rows.ts'
import type { GpgKeysTable } from '../../../db/schema.gen.ts'

/** A GPG key as stored. */
export type GpgKeyRow = Selectable<GpgKeysTable>

const unrevokedKeys = q.selectFrom('gpg_keys').where('revoked', '=', false)

/** Returns one page of the keys of a user that are not revoked, the oldest first. */
export function listOf(
  db: Database,
  userId: number,
  paging: { limit: number; offset: number },
): Rows<GpgKeyRow> {
  const keysOfUser = unrevokedKeys.where('user_id', '=', userId)
  const rows = db.all(keysOfUser.selectAll().orderBy('id').limit(paging.limit).offset(paging.offset))
  return { rows, total: boundedCount(db, keysOfUser.select('id')) }
}

export function keyOfUser(db: Database, userId: number, id: number): GpgKeyRow | undefined {
  return db.get(unrevokedKeys.selectAll().where('user_id', '=', userId).where('id', '=', id))
}

/** Returns the key with a fingerprint, even if it is revoked. */
export function byFingerprint(db: Database, fingerprint: string): GpgKeyRow | undefined {
  return db.get(q.selectFrom('gpg_keys').selectAll().where('fingerprint', '=', fingerprint))
}

/** Returns the keys with a key ID, as the primary key or a subkey, including revoked ones. */
export function byKeyId(db: Database, keyId: string): GpgKeyRow[] {
  return db.many<GpgKeyRow>(
    `SELECT * FROM gpg_keys WHERE primary_keyid = ?
     UNION SELECT g.* FROM gpg_keys g, json_each(g.subkeys) s WHERE s.value = ? ORDER BY id`,
    keyId,
    keyId,
  )
}

export function insert(db: Database, row: Insertable<GpgKeysTable>): GpgKeyRow {
  return db.get(q.insertInto('gpg_keys').values(row).returningAll())!
}

export function remove(db: Database, id: number): void {
  db.run(q.deleteFrom('gpg_keys').where('id', '=', id))
}

export function revoke(db: Database, id: number): void {
  db.run(q.updateTable('gpg_keys').set({ revoked: true }).where('id', '=', id))
}
