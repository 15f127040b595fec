import type { Database } from '../../../db/database.ts'
import { DEVELOPER } from '../../../policy/levels.ts'

/** Whether a user has at least the Developer role in any project or group. */
export function isDeveloperSomewhere(db: Database, userId: number, today: string): boolean {
  const row = db.one(
    `SELECT 1 AS found FROM members
      WHERE user_id = ? AND access_level >= ? AND (expires_at IS NULL OR expires_at > ?) LIMIT 1`,
    userId,
    DEVELOPER,
    today,
  )
  return row !== undefined
}
