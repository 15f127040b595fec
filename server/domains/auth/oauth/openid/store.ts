import type { Selectable } from 'kysely'

import { q, type Database } from '../../../../db/database.ts'
import type { SigningKeysTable } from '../../../../db/schema.gen.ts'
import { isoDate } from '../../../../lib/clock.ts'

/** A key that signs id tokens, private part included. */
export type SigningKeyRow = Selectable<SigningKeysTable>

/** Keys that are published at most; older ones have signed nothing that still holds. */
const MAX_KEYS = 10

/** The keys, the newest first: that one signs. */
export function keys(db: Database): SigningKeyRow[] {
  return db.remember('signing_keys', () =>
    db.all(q.selectFrom('signing_keys').selectAll().orderBy('id', 'desc').limit(MAX_KEYS)),
  )
}

export function insertKey(db: Database, row: Omit<SigningKeyRow, 'id'>): SigningKeyRow {
  return db.get(q.insertInto('signing_keys').values(row).returningAll())!
}

/** A group that a user is a member of, with the level there. */
export interface Membership {
  readonly full_path: string
  readonly access_level: number
}

/** The groups that a user is a direct member of today. */
export function groupsOf(db: Database, userId: number, now: string): Membership[] {
  const sql = `SELECT n.full_path, m.access_level FROM members m JOIN namespaces n ON n.id = m.namespace_id
    WHERE m.user_id = ? AND n.kind = 'group' AND (m.expires_at IS NULL OR m.expires_at > ?) ORDER BY n.full_path`
  return db.many<Membership>(sql, userId, isoDate(now))
}
