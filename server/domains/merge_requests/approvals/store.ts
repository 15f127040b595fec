import type { Selectable } from 'kysely'

import { jsonList, q, type Database } from '../../../db/database.ts'
import type { ProjectApprovalSettingsTable } from '../../../db/schema.gen.ts'
import { settingsFrom } from '../../settings/index.ts'
import type { MergeRequestRow } from '../types.ts'

/** An approval with the version that was approved. */
export interface ApprovalRow {
  readonly id: number
  readonly merge_request_id: number
  readonly user_id: number
  readonly created_at: string
  readonly diff_id: number | null
  readonly target_branch: string | null
  /** Patch ID of that version. */
  readonly patch_id: string | null
}

/** The columns of a merge request that an approval refers to. */
type ApprovedState = Pick<MergeRequestRow, 'id' | 'latest_diff_id' | 'target_branch'>

const APPROVALS = `SELECT a.id, a.merge_request_id, a.user_id, a.created_at, a.diff_id, a.target_branch, d.patch_id
  FROM approvals a LEFT JOIN merge_request_diffs d ON d.id = a.diff_id`

const keyOf = (requestId: number): string => `approvals:${requestId}`

/** Lists the approvals of a merge request, oldest first. Cached until the next write. */
export function approvalsOf(db: Database, requestId: number): readonly ApprovalRow[] {
  return db.remember(keyOf(requestId), () =>
    db.many<ApprovalRow>(`${APPROVALS} WHERE a.merge_request_id = ? ORDER BY a.id`, requestId),
  )
}

/** Reads the approvals of many merge requests with one query, so that `approvalsOf` can use the cache. */
export function cacheApprovals(db: Database, requestIds: readonly number[]): void {
  const rows = db.many<ApprovalRow>(
    `${APPROVALS} WHERE a.merge_request_id IN (SELECT value FROM json_each(?)) ORDER BY a.id`,
    jsonList(requestIds),
  )
  const lists = Map.groupBy(rows, (row) => row.merge_request_id)
  for (const id of requestIds) db.remember(keyOf(id), () => lists.get(id) ?? [])
}

/** Returns the patch ID of a version. */
export function patchOf(db: Database, diffId: number | null): string | null {
  if (diffId === null) return null
  const sql = 'SELECT patch_id FROM merge_request_diffs WHERE id = ?'
  return db.one<{ patch_id: string | null }>(sql, diffId)?.patch_id ?? null
}

/** Inserts an approval of the newest version. Throws `UniqueViolation` when the user has approved already. */
export function insertApproval(db: Database, request: ApprovedState, userId: number, now: string): void {
  db.exec(
    'INSERT INTO approvals (merge_request_id, user_id, created_at, diff_id, target_branch) VALUES (?, ?, ?, ?, ?)',
    request.id,
    userId,
    now,
    request.latest_diff_id,
    request.target_branch,
  )
}

/** Deletes the approvals of users and returns their number. */
export function deleteApprovals(db: Database, requestId: number, userIds: readonly number[]): number {
  return db.exec(
    'DELETE FROM approvals WHERE merge_request_id = ? AND user_id IN (SELECT value FROM json_each(?))',
    requestId,
    jsonList(userIds),
  ).changes
}

/** Moves the remaining approvals to the newest version and the current target branch. */
export function moveApprovals(db: Database, request: ApprovedState): void {
  db.exec(
    `UPDATE approvals SET diff_id = ?, target_branch = ?
     WHERE merge_request_id = ? AND (diff_id IS NOT ? OR target_branch IS NOT ?)`,
    request.latest_diff_id,
    request.target_branch,
    request.id,
    request.latest_diff_id,
    request.target_branch,
  )
}

/** The data from git that approvals need, with the version and target branch that it was read for. */
export interface GitData {
  readonly diff_id: number
  readonly target_branch: string
  readonly target_sha: string | null
  readonly committer_emails: string
}

export function gitDataOf(db: Database, requestId: number): GitData | undefined {
  return db.remember(`approval-progress:${requestId}`, () =>
    db.one<GitData>(
      'SELECT diff_id, target_branch, target_sha, committer_emails FROM approval_progress WHERE merge_request_id = ?',
      requestId,
    ),
  )
}

export function saveGitData(db: Database, requestId: number, progress: GitData): void {
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

/** Saves the current approvers and returns the new ones. */
export function saveApprovers(db: Database, requestId: number, userIds: readonly number[]): number[] {
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

/** Sets the review state of a reviewer. */
export function setReviewState(
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

/** Whether a user is an assignee of a merge request. */
export function isAssignee(db: Database, requestId: number, userId: number | null): boolean {
  const sql = 'SELECT 1 FROM merge_request_assignees WHERE merge_request_id = ? AND user_id = ?'
  return db.one(sql, requestId, userId) !== undefined
}

/** The approval settings of a project, without `approvals_before_merge`. */
export type ApprovalSettings = Omit<Selectable<ProjectApprovalSettingsTable>, 'project_id'>

/** The default settings (spec administration 12.1). */
const DEFAULTS: ApprovalSettings = {
  reset_approvals_on_push: true,
  selective_code_owner_removals: false,
  disable_overriding_approvers_per_merge_request: false,
  merge_requests_author_approval: false,
  merge_requests_disable_committers_approval: false,
  require_password_to_approve: false,
}

/** Returns the settings of a project, with the overrides of the instance. Cached until the next write. */
export function settingsOf(db: Database, projectId: number): ApprovalSettings {
  return db.remember(`approval-settings:${projectId}`, () => ({
    ...ownSettingsOf(db, projectId),
    ...settingsOfInstance(db),
  }))
}

/** Returns the settings of a project without the overrides of the instance. */
export function ownSettingsOf(db: Database, projectId: number): ApprovalSettings {
  const query = q.selectFrom('project_approval_settings').selectAll().where('project_id', '=', projectId)
  return db.get(query) ?? DEFAULTS
}

/** The settings that the instance overrides in all projects (spec administration 1.2). */
function settingsOfInstance(db: Database): Partial<ApprovalSettings> {
  const settings = settingsFrom(db)
  return {
    ...(settings.prevent_merge_requests_author_approval ? { merge_requests_author_approval: false } : {}),
    ...(settings.prevent_merge_requests_committers_approval
      ? { merge_requests_disable_committers_approval: true }
      : {}),
    ...(settings.disable_overriding_approvers_per_merge_request
      ? { disable_overriding_approvers_per_merge_request: true }
      : {}),
  }
}

/** Saves the given settings. Other settings stay unchanged. */
export function saveSettings(db: Database, projectId: number, changes: Partial<ApprovalSettings>): void {
  const row = { ...ownSettingsOf(db, projectId), ...changes, project_id: projectId }
  db.run(
    q
      .insertInto('project_approval_settings')
      .values(row)
      .onConflict((conflict) => conflict.column('project_id').doUpdateSet(row)),
  )
}
