import type { Insertable, Selectable } from 'kysely'

import { jsonList, q, type Database } from '../../db/database.ts'
import type { MergeRequestReviewersTable, MergeRequestsTable } from '../../db/schema.gen.ts'
import { table } from '../../db/table.ts'
import type { IssueRow } from '../planning/index.ts'
import type { MergeRequestRow } from './types.ts'

/** Returns the merge request with an IID in a project. */
export function byIid(db: Database, projectId: number, iid: number): MergeRequestRow | undefined {
  return db.one<MergeRequestRow>(
    'SELECT * FROM merge_requests WHERE project_id = ? AND iid = ?',
    projectId,
    iid,
  )
}

export const { byId, update, remove } = table('merge_requests')

/** The columns that can be written. The database derives `draft` from the title. */
export type MergeRequestChanges = Partial<Omit<MergeRequestRow, 'id' | 'draft'>>

/** The columns of a new merge request. */
export type NewMergeRequest = Omit<Insertable<MergeRequestsTable>, 'id' | 'draft'>

/** Inserts a merge request. Throws `UniqueViolation` when one is open for the same branches. */
export function insert(db: Database, row: NewMergeRequest): MergeRequestRow {
  return db.get<MergeRequestRow>(q.insertInto('merge_requests').values(row).returningAll())!
}

/** The source and target of a merge request. */
export type BranchPair = Pick<
  MergeRequestRow,
  'source_project_id' | 'source_branch' | 'project_id' | 'target_branch'
>

/** Returns the IID of an open merge request with the same source and target, other than `exceptId`. */
export function openDuplicate(
  db: Database,
  route: BranchPair,
  exceptId: number | null = null,
): number | undefined {
  return db.one<{ iid: number }>(
    `SELECT iid FROM merge_requests WHERE source_project_id = ? AND source_branch = ? AND project_id = ?
       AND target_branch = ? AND state IN ('opened', 'locked') AND id IS NOT ?`,
    route.source_project_id,
    route.source_branch,
    route.project_id,
    route.target_branch,
    exceptId,
  )?.iid
}

/** A reviewer. */
export type ReviewerRow = Selectable<MergeRequestReviewersTable>

/** Lists the reviewers of merge requests, by merge request and user ID. */
export function reviewersOf(db: Database, ids: readonly number[]): ReviewerRow[] {
  return db.many<ReviewerRow>(
    `SELECT * FROM merge_request_reviewers WHERE merge_request_id IN (SELECT value FROM json_each(?))
     ORDER BY merge_request_id, user_id`,
    jsonList(ids),
  )
}

/** Adds a reviewer. */
export function addReviewer(db: Database, id: number, userId: number, now: string): void {
  db.exec(
    'INSERT INTO merge_request_reviewers (merge_request_id, user_id, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
    id,
    userId,
    now,
  )
}

/** Removes a reviewer. */
export function removeReviewer(db: Database, id: number, userId: number): void {
  db.exec('DELETE FROM merge_request_reviewers WHERE merge_request_id = ? AND user_id = ?', id, userId)
}

/** Whether the user has another merged merge request in the project. */
export function hasMerged(db: Database, projectId: number, authorId: number, exceptId: number): boolean {
  const sql = `SELECT 1 FROM merge_requests WHERE author_id = ? AND state = 'merged' AND project_id = ? AND id <> ? LIMIT 1`
  return db.one(sql, authorId, projectId, exceptId) !== undefined
}

/** Returns the time of the first deployment to an environment of the production tier. */
export function firstProductionDeployment(db: Database, id: number): string | null {
  return db.one<{ at: string | null }>(
    "SELECT min(deployed_at) AS at FROM merge_request_deployments WHERE merge_request_id = ? AND tier = 'production'",
    id,
  )!.at
}

/** Lists the open merge requests between a project and other projects. */
export function openBetween(db: Database, projectId: number): MergeRequestRow[] {
  return db.many<MergeRequestRow>(
    `SELECT * FROM merge_requests WHERE state = 'opened' AND source_project_id <> project_id
       AND id IN (SELECT id FROM merge_requests WHERE source_project_id = ?
         UNION SELECT id FROM merge_requests WHERE project_id = ? AND state = 'opened')`,
    projectId,
    projectId,
  )
}

/** Lists the open merge requests with a deleted source project. */
export function openOrphans(db: Database): MergeRequestRow[] {
  const sql = "SELECT * FROM merge_requests WHERE source_project_id IS NULL AND +state = 'opened'"
  return db.many<MergeRequestRow>(sql)
}

/** Replaces the issues that a merge request closes when it is merged. */
export function setClosingIssues(db: Database, id: number, issueIds: readonly number[]): void {
  db.exec(
    `DELETE FROM merge_request_closing_issues WHERE merge_request_id = ?
       AND issue_id NOT IN (SELECT value FROM json_each(?))`,
    id,
    jsonList(issueIds),
  )
  db.exec(
    `INSERT INTO merge_request_closing_issues (merge_request_id, issue_id)
     SELECT ?, value FROM json_each(?) WHERE true ON CONFLICT DO NOTHING`,
    id,
    jsonList(issueIds),
  )
}

/** Lists the issues that a merge request closes when it is merged, by ID. */
export function closingIssuesOf(db: Database, id: number): IssueRow[] {
  return db.many<IssueRow>(
    `SELECT * FROM issues WHERE id IN
       (SELECT issue_id FROM merge_request_closing_issues WHERE merge_request_id = ?) ORDER BY id`,
    id,
  )
}

/** Returns the IDs of merge requests from or into a project that have this head and wait for an automatic merge. */
export function withAutoMerge(db: Database, projectId: number, sha: string): number[] {
  const rows = db.many<{ id: number }>(
    `SELECT id FROM merge_requests WHERE head_sha = ? AND merge_when_pipeline_succeeds = 1
       AND (project_id = ? OR source_project_id = ?)`,
    sha,
    projectId,
    projectId,
  )
  return rows.map((row) => row.id)
}

/** Sets `merge_status` from `checking` back to `unchecked`. */
export function cancelCheck(db: Database, id: number): void {
  db.exec(
    "UPDATE merge_requests SET merge_status = 'unchecked' WHERE id = ? AND merge_status = 'checking'",
    id,
  )
}

/** Lists the open merge requests from a fork into other projects that allow collaboration. */
export function openToCollaborationFrom(db: Database, forkId: number): MergeRequestRow[] {
  return db.many<MergeRequestRow>(
    `SELECT * FROM merge_requests WHERE source_project_id = ? AND project_id <> source_project_id
       AND allow_collaboration = 1 AND state = 'opened'`,
    forkId,
  )
}

/** Lists the merge requests that are locked for a merge. */
export function lockedRequests(db: Database): MergeRequestRow[] {
  return db.many<MergeRequestRow>("SELECT * FROM merge_requests WHERE state = 'locked'")
}

/** Returns the IDs of merge requests of a project that were merged by one of these commits. */
export function mergedWithCommits(db: Database, projectId: number, shas: readonly string[]): number[] {
  const merged = "r.project_id = ? AND r.state = 'merged'"
  const rows = db.many<{ id: number }>(
    `WITH commits AS (SELECT value AS sha FROM json_each(?))
     SELECT r.id FROM commits JOIN merge_requests r ON r.merge_commit_sha = sha WHERE ${merged}
     UNION SELECT r.id FROM commits JOIN merge_requests r ON r.squash_commit_sha = sha WHERE ${merged}
     UNION SELECT r.id FROM commits JOIN merge_requests r ON r.head_sha = sha
       WHERE ${merged} AND r.merge_commit_sha IS NULL AND r.squash_commit_sha IS NULL`,
    jsonList(shas),
    projectId,
    projectId,
    projectId,
  )
  return rows.map((row) => row.id)
}

/** The environment and time of a deployment. */
export interface DeploymentRecord {
  readonly environment: string
  readonly tier: string
  readonly deployed_at: string
}

/** Records that merge requests were deployed. */
export function saveDeployments(
  db: Database,
  ids: readonly number[],
  { environment, tier, deployed_at }: DeploymentRecord,
): void {
  db.exec(
    `INSERT INTO merge_request_deployments (merge_request_id, environment, tier, deployed_at)
     SELECT r.id, ?, ?, ? FROM merge_requests r WHERE r.id IN (SELECT value FROM json_each(?)) ON CONFLICT DO NOTHING`,
    environment,
    tier,
    deployed_at,
    jsonList(ids),
  )
}

/** Returns the SHAs of the context commits of a merge request, oldest first. */
export function contextCommitsOf(db: Database, requestId: number): string[] {
  const sql =
    'SELECT sha FROM merge_request_context_commits WHERE merge_request_id = ? ORDER BY created_at, sha'
  return db.many<{ sha: string }>(sql, requestId).map((row) => row.sha)
}

/** Adds context commits. */
export function insertContextCommits(
  db: Database,
  requestId: number,
  shas: readonly string[],
  now: string,
): void {
  db.exec(
    `INSERT INTO merge_request_context_commits (merge_request_id, sha, created_at)
     SELECT ?, value, ? FROM json_each(?) WHERE true ON CONFLICT DO NOTHING`,
    requestId,
    now,
    jsonList(shas),
  )
}

/** Deletes context commits. */
export function deleteContextCommits(db: Database, requestId: number, shas: readonly string[]): void {
  db.exec(
    `DELETE FROM merge_request_context_commits
     WHERE merge_request_id = ? AND sha IN (SELECT value FROM json_each(?))`,
    requestId,
    jsonList(shas),
  )
}
