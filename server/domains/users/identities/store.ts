import type { Database } from '../../../db/database.ts'

/** Gives a user the account at a provider, instead of another one there. Throws `UniqueViolation` when it is taken. */
export function put(
  db: Database,
  identity: { user_id: number; provider: string; extern_uid: string },
  now: string,
): void {
  db.exec(
    `INSERT INTO identities (user_id, provider, extern_uid, created_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (user_id, provider) DO UPDATE SET extern_uid = excluded.extern_uid`,
    identity.user_id,
    identity.provider,
    identity.extern_uid,
    now,
  )
}

/** The user who has the account at a provider. */
export function ownerOf(db: Database, provider: string, externUid: string): number | undefined {
  const sql = 'SELECT user_id FROM identities WHERE provider = ? AND extern_uid = ?'
  return db.one<{ user_id: number }>(sql, provider, externUid)?.user_id
}

/** Takes the account at a provider away; false when there is none. */
export function remove(db: Database, userId: number, provider: string): boolean {
  return db.exec('DELETE FROM identities WHERE user_id = ? AND provider = ?', userId, provider).changes > 0
}
