import { jsonList, type Database } from '../../../db/database.ts'

/** Ids of the context commits of a merge request, in the order they were added. */
export function shasOf(db: Database, requestId: number): string[] {
  const sql =
    'SELECT sha FROM merge_request_context_commits WHERE merge_request_id = ? ORDER BY created_at, sha'
  return db.many<{ sha: string }>(sql, requestId).map((row) => row.sha)
}

/** Adds context commits. */
export function add(db: Database, requestId: number, shas: readonly string[], now: string): void {
  db.exec(
    `INSERT INTO merge_request_context_commits (merge_request_id, sha, created_at)
     SELECT ?, value, ? FROM json_each(?) WHERE true ON CONFLICT DO NOTHING`,
    requestId,
    now,
    jsonList(shas),
  )
}

/** Takes context commits away. */
export function remove(db: Database, requestId: number, shas: readonly string[]): void {
  db.exec(
    `DELETE FROM merge_request_context_commits
     WHERE merge_request_id = ? AND sha IN (SELECT value FROM json_each(?))`,
    requestId,
    jsonList(shas),
  )
}
