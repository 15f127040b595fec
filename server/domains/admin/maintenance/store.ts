import type { Database } from '../../../db/database.ts'

/**
 * Returns the ids of projects with a due check: created before a time, and not checked since another time. Those
 * without a check come first, then those with the oldest check.
 */
export function projectsToCheck(
  db: Database,
  before: { checked: string; created: string },
  limit: number,
): number[] {
  const sql = `SELECT id FROM projects WHERE (last_repository_check_at IS NULL OR last_repository_check_at < ?)
    AND created_at < ? AND repository_state = 'ready' AND empty_repo = 0
    ORDER BY last_repository_check_at, id LIMIT ?`
  return db.many<{ id: number }>(sql, before.checked, before.created, limit).map(({ id }) => id)
}

/** Returns the email addresses of the administrators. */
export function administratorEmails(db: Database): string[] {
  const sql = "SELECT email FROM users WHERE is_admin = 1 AND state = 'active' AND bot = 0 AND email <> ''"
  return db.many<{ email: string }>(sql).map(({ email }) => email)
}
