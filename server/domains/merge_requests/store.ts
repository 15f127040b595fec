import type { Insertable, Selectable } from 'kysely'

import { jsonList, q, type Database } from '../../db/database.ts'
import type { MergeRequestReviewersTable, MergeRequestsTable } from '../../db/schema.gen.ts'
import type { IssueRow } from '../planning/index.ts'
import type { MergeRequestRow } from './types.ts'

/** The merge request of that number in a project. */
export function byIid(db: Database, projectId: number, iid: number): MergeRequestRow | undefined {
  return db.one<MergeRequestRow>(
    'SELECT * FROM merge_requests WHERE project_id = ? AND iid = ?',
    projectId,
    iid,
  )
}

/** The merge request of that id. */
export function byId(db: Database, id: number): MergeRequestRow | undefined {
  return db.one<MergeRequestRow>('SELECT * FROM merge_requests WHERE id = ?', id)
}

/** What can be written; `draft` follows from the title. */
export type MergeRequestChanges = Partial<Omit<MergeRequestRow, 'id' | 'draft'>>

/** Changes columns and gives the row as it is now. */
export function update(db: Database, id: number, changes: MergeRequestChanges): MergeRequestRow {
  return db.get<MergeRequestRow>(
    q.updateTable('merge_requests').set(changes).where('id', '=', id).returningAll(),
  )!
}

/** What a new merge request is made of; the rest has defaults. */
export type NewMergeRequest = Omit<Insertable<MergeRequestsTable>, 'id' | 'draft'>

/** Stores a new merge request. Throws `UniqueViolation` when an equal one is open. */
export function insert(db: Database, row: NewMergeRequest): MergeRequestRow {
  return db.get<MergeRequestRow>(q.insertInto('merge_requests').values(row).returningAll())!
}

/** Removes a merge request with all that belongs to it. */
export function remove(db: Database, id: number): void {
  db.exec('DELETE FROM merge_requests WHERE id = ?', id)
}

/** From where to where a merge request leads. */
export type Route = Pick<
  MergeRequestRow,
  'source_project_id' | 'source_branch' | 'project_id' | 'target_branch'
>

/** The number of the open merge request that leads the same way, another one than `exceptId`. */
export function openDuplicate(
  db: Database,
  route: Route,
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

/** Somebody who is asked to review. */
export type ReviewerRow = Selectable<MergeRequestReviewersTable>

/** Who is asked to review some merge requests, in the order of their ids. */
export function reviewersOf(db: Database, ids: readonly number[]): ReviewerRow[] {
  return db.many<ReviewerRow>(
    `SELECT * FROM merge_request_reviewers WHERE merge_request_id IN (SELECT value FROM json_each(?))
     ORDER BY merge_request_id, user_id`,
    jsonList(ids),
  )
}

/** Asks somebody to review, who was not asked. */
export function addReviewer(db: Database, id: number, userId: number, now: string): void {
  db.exec(
    'INSERT INTO merge_request_reviewers (merge_request_id, user_id, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
    id,
    userId,
    now,
  )
}

/** Asks somebody no more. */
export function removeReviewer(db: Database, id: number, userId: number): void {
  db.exec('DELETE FROM merge_request_reviewers WHERE merge_request_id = ? AND user_id = ?', id, userId)
}

/** Whether the user has another merge request in the project that was merged. */
export function hasMerged(db: Database, projectId: number, authorId: number, exceptId: number): boolean {
  const sql = `SELECT 1 FROM merge_requests WHERE author_id = ? AND state = 'merged' AND project_id = ? AND id <> ? LIMIT 1`
  return db.one(sql, authorId, projectId, exceptId) !== undefined
}

/** When it first came to an environment of the production tier. */
export function firstProductionDeployment(db: Database, id: number): string | null {
  return db.one<{ at: string | null }>(
    "SELECT min(deployed_at) AS at FROM merge_request_deployments WHERE merge_request_id = ? AND tier = 'production'",
    id,
  )!.at
}

/** Open merge requests between a project and others. */
export function openAcross(db: Database, projectId: number): MergeRequestRow[] {
  return db.many<MergeRequestRow>(
    `SELECT * FROM merge_requests WHERE state = 'opened' AND source_project_id <> project_id
       AND id IN (SELECT id FROM merge_requests WHERE source_project_id = ?
         UNION SELECT id FROM merge_requests WHERE project_id = ? AND state = 'opened')`,
    projectId,
    projectId,
  )
}

/** Open merge requests whose source project is gone. */
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

/** The issues that a merge request closes when it is merged, in the order of their ids. */
export function closingIssuesOf(db: Database, id: number): IssueRow[] {
  return db.many<IssueRow>(
    `SELECT * FROM issues WHERE id IN
       (SELECT issue_id FROM merge_request_closing_issues WHERE merge_request_id = ?) ORDER BY id`,
    id,
  )
}

/** Merge requests with this head, from or into a project, that are merged when their pipeline succeeds. */
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

/** Sets `merge_status` back to `unchecked` while a check is under way. */
export function cancelCheck(db: Database, id: number): void {
  db.exec(
    "UPDATE merge_requests SET merge_status = 'unchecked' WHERE id = ? AND merge_status = 'checking'",
    id,
  )
}

/** Open merge requests from a fork into other projects whose author allows collaboration. */
export function openToCollaborationFrom(db: Database, forkId: number): MergeRequestRow[] {
  return db.many<MergeRequestRow>(
    `SELECT * FROM merge_requests WHERE source_project_id = ? AND project_id <> source_project_id
       AND allow_collaboration = 1 AND state = 'opened'`,
    forkId,
  )
}

/** Merge requests that are locked for a merge. */
export function locked(db: Database): MergeRequestRow[] {
  return db.many<MergeRequestRow>("SELECT * FROM merge_requests WHERE state = 'locked'")
}

/** Merged merge requests of a project that came in with one of these commits. */
export function mergedWithCommits(db: Database, projectId: number, shas: readonly string[]): number[] {
  const merged = "r.project_id = ? AND r.state = 'merged'"
  const rows = db.many<{ id: number }>(
    `WITH brought AS (SELECT value AS sha FROM json_each(?))
     SELECT r.id FROM brought JOIN merge_requests r ON r.merge_commit_sha = sha WHERE ${merged}
     UNION SELECT r.id FROM brought JOIN merge_requests r ON r.squash_commit_sha = sha WHERE ${merged}
     UNION SELECT r.id FROM brought JOIN merge_requests r ON r.head_sha = sha
       WHERE ${merged} AND r.merge_commit_sha IS NULL AND r.squash_commit_sha IS NULL`,
    jsonList(shas),
    projectId,
    projectId,
    projectId,
  )
  return rows.map((row) => row.id)
}

/** Where and when something was deployed. */
export interface Deployed {
  readonly environment: string
  readonly tier: string
  readonly deployed_at: string
}

/** Notes that merge requests were deployed. */
export function saveDeployed(
  db: Database,
  ids: readonly number[],
  { environment, tier, deployed_at }: Deployed,
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

/** Ids of the context commits of a merge request, in the order they were added. */
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

/** Takes context commits away. */
export function deleteContextCommits(db: Database, requestId: number, shas: readonly string[]): void {
  db.exec(
    `DELETE FROM merge_request_context_commits
     WHERE merge_request_id = ? AND sha IN (SELECT value FROM json_each(?))`,
    requestId,
    jsonList(shas),
  )
}
