import type { Database } from '../../../db/database.ts'

/** Active users without activity since a day; without any activity, the day of the creation counts. */
export function dormantIds(db: Database, since: string): number[] {
  const rows = db.many<{ id: number }>(
    `SELECT id FROM users WHERE state = 'active' AND kind = 'human' AND bot = 0
       AND coalesce(last_activity_on, substr(current_sign_in_at, 1, 10), substr(created_at, 1, 10)) <= ?
       AND (current_sign_in_at IS NULL OR substr(current_sign_in_at, 1, 10) <= ?)
     ORDER BY id`,
    since,
    since,
  )
  return rows.map((row) => row.id)
}

/** Users who signed up before a time, never confirmed their address and never signed in. */
export function unconfirmedIds(db: Database, before: string): number[] {
  const rows = db.many<{ id: number }>(
    `SELECT id FROM users WHERE confirmed_at IS NULL AND sign_in_count = 0 AND kind = 'human' AND bot = 0
       AND created_at <= ? ORDER BY id`,
    before,
  )
  return rows.map((row) => row.id)
}
