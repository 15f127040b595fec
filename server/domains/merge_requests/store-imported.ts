import type { Insertable } from 'kysely'

import { jsonList, q, type Database } from '../../db/database.ts'
import type { MergeRequestDiffsTable, MergeRequestsTable } from '../../db/schema.gen.ts'

// Writes of imported merge requests. They publish no events.

/** Whether another open merge request of a project has the same branches. */
export function hasOpenRequest(
  db: Database,
  projectId: number,
  { source_branch, target_branch, iid }: { source_branch: string; target_branch: string; iid: number },
): boolean {
  const sql = `SELECT 1 FROM merge_requests WHERE source_project_id = ? AND source_branch = ? AND project_id = ?
    AND target_branch = ? AND state = 'opened' AND iid <> ?`
  return db.one(sql, projectId, source_branch, projectId, target_branch, iid) !== undefined
}

/** Inserts a merge request. Returns its ID. */
export function insertMergeRequest(db: Database, row: Insertable<MergeRequestsTable>): number {
  return db.run(q.insertInto('merge_requests').values(row)).id
}

/** Adds reviewers to a merge request; existing reviewers stay. */
export function insertReviewers(
  db: Database,
  requestId: number,
  userIds: readonly number[],
  created_at: string,
): void {
  const sql = `INSERT INTO merge_request_reviewers (merge_request_id, user_id, created_at) VALUES (?, ?, ?)
    ON CONFLICT DO NOTHING`
  for (const id of userIds) db.exec(sql, requestId, id, created_at)
}

/** Records that a reviewer has reviewed. */
export function setReviewed(db: Database, requestId: number, userId: number): void {
  const sql =
    "UPDATE merge_request_reviewers SET state = 'reviewed' WHERE merge_request_id = ? AND user_id = ?"
  db.exec(sql, requestId, userId)
}

/** Inserts an approval of the newest version of a merge request. Returns false if the user has approved it already. */
export function insertApproval(db: Database, requestId: number, userId: number, created_at: string): boolean {
  const { changes } = db.exec(
    `INSERT INTO approvals (merge_request_id, user_id, created_at, diff_id, target_branch)
     SELECT id, ?, ?, latest_diff_id, target_branch FROM merge_requests WHERE id = ? ON CONFLICT DO NOTHING`,
    userId,
    created_at,
    requestId,
  )
  return changes > 0
}

/** Sets the user who merged a merge request, and the time of the merge. */
export function setMerged(
  db: Database,
  requestId: number,
  { merged_at, userId }: { merged_at: string; userId: number },
): void {
  db.exec(
    'UPDATE merge_requests SET merged_at = ?, merge_user_id = ? WHERE id = ?',
    merged_at,
    userId,
    requestId,
  )
}

/** Records the commit that merged a merge request. */
export function setMergeCommit(db: Database, projectId: number, iid: number, sha: string): void {
  db.exec(
    'UPDATE merge_requests SET merge_commit_sha = ? WHERE project_id = ? AND iid = ?',
    sha,
    projectId,
    iid,
  )
}

/** Whether a merge request is merged. */
export function isMerged(db: Database, requestId: number): boolean {
  return db.one("SELECT 1 FROM merge_requests WHERE id = ? AND state = 'merged'", requestId) !== undefined
}

/** Returns the IDs of open merge requests of a project that are higher than `after`, at most 100 of them. */
export function openRequestIdsAfter(db: Database, projectId: number, after: number): number[] {
  const sql =
    "SELECT id FROM merge_requests WHERE project_id = ? AND state = 'opened' AND id > ? ORDER BY id LIMIT 100"
  return db.many<{ id: number }>(sql, projectId, after).map(({ id }) => id)
}

/** Counts the merge requests of a project. */
export function countRequests(db: Database, projectId: number): number {
  const sql = 'SELECT count(*) AS total FROM merge_requests WHERE project_id = ?'
  return db.one<{ total: number }>(sql, projectId)!.total
}

/** Returns the lowest IID of a merge request of a project that is higher than `after`. */
export function nextRequestIid(db: Database, projectId: number, after: number): number | undefined {
  const sql = 'SELECT iid FROM merge_requests WHERE project_id = ? AND iid > ? ORDER BY iid LIMIT 1'
  return db.one<{ iid: number }>(sql, projectId, after)?.iid
}

/** Inserts a version and makes it the newest of its merge request. `commits` are its SHAs, newest first. */
export function insertVersion(
  db: Database,
  row: Insertable<MergeRequestDiffsTable> & { merge_request_id: number; head_commit_sha: string },
  commits: readonly string[],
): void {
  const { id } = db.run(q.insertInto('merge_request_diffs').values(row))
  db.exec(
    'INSERT INTO merge_request_diff_commits (diff_id, position, sha) SELECT ?, key, value FROM json_each(?)',
    id,
    jsonList(commits),
  )
  const sql = 'UPDATE merge_requests SET latest_diff_id = ?, head_sha = ? WHERE id = ?'
  db.exec(sql, id, row.head_commit_sha, row.merge_request_id)
}

/** The commits that a version compares. */
export interface VersionRefs {
  readonly base_sha: string
  readonly start_sha: string
  readonly head_sha: string
}

/** Returns the commits that the newest version of a merge request compares. */
export function newestRefs(db: Database, requestId: number): VersionRefs | undefined {
  return db.one<VersionRefs>(
    `SELECT coalesce(d.base_commit_sha, d.start_commit_sha) AS base_sha, d.start_commit_sha AS start_sha,
       d.head_commit_sha AS head_sha
     FROM merge_requests r JOIN merge_request_diffs d ON d.id = r.latest_diff_id WHERE r.id = ?`,
    requestId,
  )
}

/** Sets the source project and branch of a merge request. */
export function setSource(db: Database, requestId: number, projectId: number, branch: string): void {
  const set = 'UPDATE merge_requests SET source_project_id = ?, source_branch = ? WHERE id = ?'
  db.exec(set, projectId, branch, requestId)
}
