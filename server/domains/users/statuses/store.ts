import type { Selectable } from 'kysely'

import { q, type Database } from '../../../db/database.ts'
import type { UserStatusesTable } from '../../../db/schema.gen.ts'

/** The status of a user. */
export type StatusRow = Selectable<UserStatusesTable>

/** Returns the status, unless it has expired at `now`. */
export function ofUser(db: Database, userId: number, now: string): StatusRow | undefined {
  return db.one<StatusRow>(
    'SELECT * FROM user_statuses WHERE user_id = ? AND (clear_at IS NULL OR clear_at > ?)',
    userId,
    now,
  )
}

export function put(db: Database, row: StatusRow): void {
  const { user_id: _, ...changes } = row
  db.run(
    q
      .insertInto('user_statuses')
      .values(row)
      .onConflict((conflict) => conflict.column('user_id').doUpdateSet(changes)),
  )
}

export function remove(db: Database, userId: number): void {
  db.exec('DELETE FROM user_statuses WHERE user_id = ?', userId)
}

/** Deletes expired statuses. */
export function removeOver(db: Database, now: string): void {
  db.exec('DELETE FROM user_statuses WHERE clear_at IS NOT NULL AND clear_at <= ?', now)
}
