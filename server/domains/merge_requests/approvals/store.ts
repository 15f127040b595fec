import { jsonList, type Database } from '../../../db/database.ts'

/** An approval, with the version that was approved. */
export interface ApprovalRow {
  readonly id: number
  readonly merge_request_id: number
  readonly user_id: number
  readonly created_at: string
  readonly diff_id: number | null
  /** Names the change of that version; null where it has no name. */
  readonly patch_id: string | null
}

/** Approvals of a merge request, oldest first; remembered until the next write. */
export function approvalsOf(db: Database, requestId: number): readonly ApprovalRow[] {
  return db.remember(`approvals:${requestId}`, () =>
    db.many<ApprovalRow>(
      `SELECT a.id, a.merge_request_id, a.user_id, a.created_at, a.diff_id, d.patch_id
       FROM approvals a LEFT JOIN merge_request_diffs d ON d.id = a.diff_id
       WHERE a.merge_request_id = ? ORDER BY a.id`,
      requestId,
    ),
  )
}

/** Name of the change of a version. */
export function patchOf(db: Database, diffId: number | null): string | null {
  if (diffId === null) return null
  const sql = 'SELECT patch_id FROM merge_request_diffs WHERE id = ?'
  return db.one<{ patch_id: string | null }>(sql, diffId)?.patch_id ?? null
}

/** Stores an approval. Throws `UniqueViolation` when the user has approved already. */
export function approve(
  db: Database,
  row: Pick<ApprovalRow, 'merge_request_id' | 'user_id' | 'created_at' | 'diff_id'>,
): void {
  db.exec(
    'INSERT INTO approvals (merge_request_id, user_id, created_at, diff_id) VALUES (?, ?, ?, ?)',
    row.merge_request_id,
    row.user_id,
    row.created_at,
    row.diff_id,
  )
}

/** Removes the approvals of some users; gives how many there were. */
export function withdraw(db: Database, requestId: number, userIds: readonly number[]): number {
  return db.exec(
    'DELETE FROM approvals WHERE merge_request_id = ? AND user_id IN (SELECT value FROM json_each(?))',
    requestId,
    jsonList(userIds),
  ).changes
}

/** What was approved before stays approved with this version. */
export function carryOver(db: Database, requestId: number, diffId: number | null): void {
  db.exec(
    'UPDATE approvals SET diff_id = ? WHERE merge_request_id = ? AND diff_id IS NOT ?',
    diffId,
    requestId,
    diffId,
  )
}

/** What was read out of git for the approvals of a merge request, and for which version and target. */
export interface Progress {
  readonly diff_id: number
  readonly target_branch: string
  readonly target_sha: string | null
  readonly committer_emails: string
}

export function progressOf(db: Database, requestId: number): Progress | undefined {
  return db.remember(`approval-progress:${requestId}`, () =>
    db.one<Progress>(
      'SELECT diff_id, target_branch, target_sha, committer_emails FROM approval_progress WHERE merge_request_id = ?',
      requestId,
    ),
  )
}

export function saveProgress(db: Database, requestId: number, progress: Progress): void {
  db.exec(
    `INSERT INTO approval_progress (merge_request_id, diff_id, target_branch, target_sha, committer_emails)
     VALUES (?, ?, ?, ?, ?) ON CONFLICT (merge_request_id) DO UPDATE SET diff_id = excluded.diff_id,
       target_branch = excluded.target_branch, target_sha = excluded.target_sha, committer_emails = excluded.committer_emails`,
    requestId,
    progress.diff_id,
    progress.target_branch,
    progress.target_sha,
    progress.committer_emails,
  )
}

/** Notes who is asked for an approval, and gives those who were not before. */
export function noteAsked(db: Database, requestId: number, userIds: readonly number[]): number[] {
  db.exec(
    `DELETE FROM approval_requests WHERE merge_request_id = ? AND user_id NOT IN (SELECT value FROM json_each(?))`,
    requestId,
    jsonList(userIds),
  )
  const added = db.many<{ user_id: number }>(
    `INSERT INTO approval_requests (merge_request_id, user_id) SELECT ?, value FROM json_each(?) WHERE true
     ON CONFLICT DO NOTHING RETURNING user_id`,
    requestId,
    jsonList(userIds),
  )
  return added.map((row) => row.user_id)
}

/** A reviewer who has approved has reviewed; who takes it back has that still before them. */
export function setReviewed(
  db: Database,
  requestId: number,
  userId: number,
  state: 'reviewed' | 'unreviewed',
): void {
  db.exec(
    'UPDATE merge_request_reviewers SET state = ? WHERE merge_request_id = ? AND user_id = ?',
    state,
    requestId,
    userId,
  )
}
