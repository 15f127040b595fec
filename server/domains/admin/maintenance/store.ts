import type { Database } from '../../../db/database.ts'

/**
 * Projects with a repository that was not checked since the given time; the ones without a check or with the oldest one
 * first.
 */
export function due(db: Database, before: { checked: string; created: string }, limit: number): number[] {
  const sql = `SELECT id FROM projects WHERE (last_repository_check_at IS NULL OR last_repository_check_at < ?)
    AND created_at < ? AND repository_state = 'ready' AND empty_repo = 0
    ORDER BY last_repository_check_at, id LIMIT ?`
  return db.many<{ id: number }>(sql, before.checked, before.created, limit).map(({ id }) => id)
}

/** Email addresses of the administrators. */
export function administrators(db: Database): string[] {
  const sql = "SELECT email FROM users WHERE is_admin = 1 AND state = 'active' AND bot = 0 AND email <> ''"
  return db.many<{ email: string }>(sql).map(({ email }) => email)
}
