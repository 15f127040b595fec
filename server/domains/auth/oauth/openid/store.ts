import type { Selectable } from 'kysely'

import { q, type Database } from '../../../../db/database.ts'
import type { SigningKeysTable } from '../../../../db/schema.gen.ts'
import { isoDate } from '../../../../lib/clock.ts'

/** A signing key with its private part. */
export type SigningKeyRow = Selectable<SigningKeysTable>

/** The maximum number of published keys. All tokens that older keys signed have expired. */
const MAX_KEYS = 10

/** Returns the keys, the newest first. The newest key signs. */
export function keys(db: Database): SigningKeyRow[] {
  return db.remember('signing_keys', () =>
    db.all(q.selectFrom('signing_keys').selectAll().orderBy('id', 'desc').limit(MAX_KEYS)),
  )
}

export function insertKey(db: Database, row: Omit<SigningKeyRow, 'id'>): SigningKeyRow {
  return db.get(q.insertInto('signing_keys').values(row).returningAll())!
}

/** A group of a user, with the user's role. */
export interface Membership {
  readonly full_path: string
  readonly access_level: number
}

/** Returns the groups of which a user is a direct member now. */
export function groupsOf(db: Database, userId: number, now: string): Membership[] {
  const sql = `SELECT n.full_path, m.access_level FROM members m JOIN namespaces n ON n.id = m.namespace_id
    WHERE m.user_id = ? AND n.kind = 'group' AND (m.expires_at IS NULL OR m.expires_at > ?) ORDER BY n.full_path`
  return db.many<Membership>(sql, userId, isoDate(now))
}
