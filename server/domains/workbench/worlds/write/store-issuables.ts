import type { Selectable } from 'kysely'

import { jsonList, type Database } from '../../../../db/database.ts'
import type { IssuesTable, MergeRequestsTable } from '../../../../db/schema.gen.ts'

// Reads issues, merge requests and their notes for a world.

export type MergeRequestRow = Selectable<MergeRequestsTable> & {
  readonly base_sha: string | null
  readonly milestone: string | null
}
export type IssueRow = Selectable<IssuesTable> & { readonly milestone: string | null }
type Kind = 'issue' | 'merge_request'

/** Issues of a project after a number, by number. */
export function issuesAfter(db: Database, projectId: number, iid: number, limit: number): IssueRow[] {
  return db.many<IssueRow>(
    `SELECT i.*, m.title AS milestone FROM issues i LEFT JOIN milestones m ON m.id = i.milestone_id
     WHERE i.project_id = ? AND i.iid > ? ORDER BY i.iid LIMIT ?`,
    projectId,
    iid,
    limit,
  )
}

/** Merge requests of a project, by number. */
export function mergeRequests(db: Database, projectId: number, limit: number): MergeRequestRow[] {
  return db.many<MergeRequestRow>(
    `SELECT r.*, d.base_commit_sha AS base_sha, m.title AS milestone FROM merge_requests r
     LEFT JOIN merge_request_diffs d ON d.id = r.latest_diff_id LEFT JOIN milestones m ON m.id = r.milestone_id
     WHERE r.project_id = ? ORDER BY r.iid LIMIT ?`,
    projectId,
    limit,
  )
}

type NumberedTable = 'issues' | 'merge_requests'

/** The title of an issue or merge request; undefined if it does not exist. */
export function titleOf(
  db: Database,
  table: NumberedTable,
  projectId: number,
  iid: number,
): string | undefined {
  return db.one<{ title: string }>(
    `SELECT title FROM ${table} WHERE project_id = ? AND iid = ?`,
    projectId,
    iid,
  )?.title
}

/** IIDs and titles of the issues of a project, by IID. */
export function issueTitles(db: Database, projectId: number): { iid: number; title: string }[] {
  return db.many('SELECT iid, title FROM issues WHERE project_id = ? ORDER BY iid', projectId)
}

/** Titles of labels by issue or merge request. */
export function labelTitles(db: Database, kind: Kind, ids: readonly number[]): Map<number, string[]> {
  return groupById(
    db.many<{ id: number; value: string }>(
      `SELECT o.${kind}_id AS id, l.title AS value FROM ${kind}_labels o JOIN labels l ON l.id = o.label_id
       WHERE o.${kind}_id IN (SELECT value FROM json_each(?)) ORDER BY l.title`,
      jsonList(ids),
    ),
  )
}

/** Ids of users by issue or merge request. */
export function people(
  db: Database,
  table: 'issue_assignees' | 'merge_request_assignees' | 'merge_request_reviewers' | 'approvals',
  ids: readonly number[],
): Map<number, number[]> {
  const column = table === 'issue_assignees' ? 'issue_id' : 'merge_request_id'
  return groupById(
    db.many<{ id: number; value: number }>(
      `SELECT ${column} AS id, user_id AS value FROM ${table} WHERE ${column} IN (SELECT value FROM json_each(?))`,
      jsonList(ids),
    ),
  )
}

export interface NoteRow {
  readonly id: number
  readonly noteable_id: number
  readonly discussion_id: string
  readonly author_id: number
  readonly type: 'DiscussionNote' | 'DiffNote' | null
  readonly note: string
  readonly position: string | null
  readonly resolvable: boolean
  readonly resolved_at: string | null
  readonly resolved_by_id: number | null
  readonly created_at: string
}

/** Notes that users wrote, by issue or merge request; internal ones are left out. */
export function notes(
  db: Database,
  type: 'Issue' | 'MergeRequest',
  ids: readonly number[],
): Map<number, NoteRow[]> {
  const rows = db.many<NoteRow>(
    `SELECT id, noteable_id, discussion_id, author_id, type, note, position, resolvable, resolved_at, resolved_by_id, created_at
     FROM notes WHERE noteable_type = ? AND noteable_id IN (SELECT value FROM json_each(?)) AND system = 0 AND internal = 0
     ORDER BY id`,
    type,
    jsonList(ids),
  )
  return groupById(rows.map((row) => ({ id: row.noteable_id, value: row })))
}

function groupById<T>(rows: readonly { id: number; value: T }[]): Map<number, T[]> {
  const groups = new Map<number, T[]>()
  for (const { id, value } of rows) {
    const group = groups.get(id)
    if (group) group.push(value)
    else groups.set(id, [value])
  }
  return groups
}
