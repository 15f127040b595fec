import type { Selectable } from 'kysely'

import { q, type Database } from '../../../db/database.ts'
import { boundedCount } from '../../../db/lists.ts'
import type { UserEmailsTable } from '../../../db/schema.gen.ts'

/** A secondary address as stored. */
export type EmailRow = Selectable<UserEmailsTable>

/** Returns one page of the secondary addresses of a user, the oldest first. */
export function list(db: Database, userId: number, page: { limit: number; offset: number }) {
  const query = q.selectFrom('user_emails').where('user_id', '=', userId)
  const rows = db.all(query.selectAll().orderBy('id').limit(page.limit).offset(page.offset))
  return { rows, total: boundedCount(db, query.select('id')) }
}

export function byId(db: Database, userId: number, id: number): EmailRow | undefined {
  return db.one<EmailRow>('SELECT * FROM user_emails WHERE user_id = ? AND id = ?', userId, id)
}

/** Returns a secondary address, case-insensitively. */
export function byEmail(db: Database, email: string): EmailRow | undefined {
  return db.one<EmailRow>('SELECT * FROM user_emails WHERE email = ?', email)
}

export function insert(
  db: Database,
  row: Pick<EmailRow, 'user_id' | 'email' | 'confirmed_at' | 'created_at'>,
) {
  return db.get(q.insertInto('user_emails').values(row).returningAll())!
}

export function remove(db: Database, id: number): void {
  db.exec('DELETE FROM user_emails WHERE id = ?', id)
}

/** Returns the id of the user with a primary or secondary address, case-insensitively. */
export function ownerOf(db: Database, email: string): number | undefined {
  const row = db.one<{ id: number }>(
    'SELECT id FROM users WHERE email = ? UNION ALL SELECT user_id FROM user_emails WHERE email = ?',
    email,
    email,
  )
  return row?.id
}

/** Returns true if the address belongs to the user and is confirmed, case-insensitively. */
export function isVerified(db: Database, userId: number, email: string): boolean {
  const row = db.one(
    `SELECT 1 FROM users WHERE id = ? AND email = ? AND confirmed_at IS NOT NULL
     UNION ALL SELECT 1 FROM user_emails WHERE user_id = ? AND email = ? AND confirmed_at IS NOT NULL`,
    userId,
    email,
    userId,
    email,
  )
  return row !== undefined
}

/** Stores the digest of the token that confirms an address. An earlier token becomes invalid. */
export function setConfirmation(db: Database, id: number, digest: string): void {
  db.exec('UPDATE user_emails SET confirmation_digest = ? WHERE id = ?', digest, id)
}

/** Confirms the secondary address with a digest. Returns the id of its user; undefined for an unknown digest. */
export function confirmSecondaryEmail(db: Database, digest: string, now: string): number | undefined {
  const sql =
    'UPDATE user_emails SET confirmed_at = ?, confirmation_digest = NULL WHERE confirmation_digest = ? RETURNING user_id'
  return db.one<{ user_id: number }>(sql, now, digest)?.user_id
}
