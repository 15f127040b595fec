import type { Selectable } from 'kysely'

import { jsonList, q, type Database } from '../../../db/database.ts'
import type { Rows } from '../../../db/rows.ts'
import type { MergeRequestDiffsTable } from '../../../db/schema.gen.ts'
import type { MergeRequestRow } from '../types.ts'

/** A diff version as stored. The diff itself is in git. */
export type DiffVersionRow = Selectable<MergeRequestDiffsTable>

/** Returns the version with an ID. */
export function byId(db: Database, id: number): DiffVersionRow | undefined {
  return db.one<DiffVersionRow>('SELECT * FROM merge_request_diffs WHERE id = ?', id)
}

/** Lists the versions of a merge request, newest first. */
export function list(
  db: Database,
  mergeRequestId: number,
  page: { limit: number; offset: number } = { limit: -1, offset: 0 },
): Rows<DiffVersionRow> {
  const rows = db.many<DiffVersionRow>(
    'SELECT * FROM merge_request_diffs WHERE merge_request_id = ? ORDER BY id DESC LIMIT ? OFFSET ?',
    mergeRequestId,
    page.limit,
    page.offset,
  )
  const { total } = db.one<{ total: number }>(
    'SELECT count(*) AS total FROM merge_request_diffs WHERE merge_request_id = ?',
    mergeRequestId,
  )!
  return { rows, total }
}

/** Returns the SHAs of the commits of a version, newest first. */
export function commitIdsOf(
  db: Database,
  diffId: number,
  page: { limit: number; offset: number } = { limit: -1, offset: 0 },
): string[] {
  return db
    .many<{ sha: string }>(
      'SELECT sha FROM merge_request_diff_commits WHERE diff_id = ? ORDER BY position LIMIT ? OFFSET ?',
      diffId,
      page.limit,
      page.offset,
    )
    .map((row) => row.sha)
}

/** Inserts a version with its commits, newest first. */
export function insert(
  db: Database,
  version: Omit<DiffVersionRow, 'id' | 'commits_count'>,
  commits: readonly string[],
): DiffVersionRow {
  const values = { ...version, commits_count: commits.length }
  const row = db.get<DiffVersionRow>(q.insertInto('merge_request_diffs').values(values).returningAll())!
  db.exec(
    `INSERT INTO merge_request_diff_commits (diff_id, position, sha)
     SELECT ?, key, value FROM json_each(?)`,
    row.id,
    jsonList(commits),
  )
  return row
}

/** Returns the IDs of the given merge requests that have one of these commits in their newest version. */
export function withCommitAmong(
  db: Database,
  requestIds: readonly number[],
  shas: readonly string[],
): Set<number> {
  const rows = db.many<{ id: number }>(
    `SELECT DISTINCT r.id FROM json_each(?) s
       JOIN merge_request_diff_commits c ON c.sha = s.value
       JOIN merge_requests r ON r.latest_diff_id = c.diff_id
     WHERE r.id IN (SELECT value FROM json_each(?))`,
    jsonList(shas),
    jsonList(requestIds),
  )
  return new Set(rows.map((row) => row.id))
}

/** Lists the open merge requests from a branch, into any project. */
export function openFrom(db: Database, sourceProjectId: number, branch: string): MergeRequestRow[] {
  return db.many<MergeRequestRow>(
    `SELECT * FROM merge_requests WHERE source_project_id = ? AND source_branch = ?
       AND state IN ('opened', 'locked') ORDER BY id`,
    sourceProjectId,
    branch,
  )
}

/** Lists the open merge requests into a branch, without those that are being merged. */
export function openInto(db: Database, projectId: number, branch: string): MergeRequestRow[] {
  return db.many<MergeRequestRow>(
    `SELECT * FROM merge_requests WHERE project_id = ? AND target_branch = ? AND state = 'opened' ORDER BY id`,
    projectId,
    branch,
  )
}

/** Resets the merge status, so that it is checked again. */
export function markUnchecked(db: Database, ids: readonly number[]): void {
  db.exec(
    `UPDATE merge_requests SET merge_status = CASE
       WHEN merge_status IN ('cannot_be_merged', 'cannot_be_merged_recheck') THEN 'cannot_be_merged_recheck'
       ELSE 'unchecked' END
     WHERE id IN (SELECT value FROM json_each(?))`,
    jsonList(ids),
  )
}

/** Returns the newest version of a merge request. Undefined until a job has made the first one. */
export function latestDiff(
  db: Database,
  request: Pick<MergeRequestRow, 'latest_diff_id'>,
): DiffVersionRow | undefined {
  return request.latest_diff_id === null ? undefined : byId(db, request.latest_diff_id)
}

/** Returns all versions of a merge request, newest first. */
export function diffsOf(db: Database, request: Pick<MergeRequestRow, 'id'>): readonly DiffVersionRow[] {
  return list(db, request.id).rows
}
