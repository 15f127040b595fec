import { jsonList, type Database } from '../../db/database.ts'
import type { MergeRequestRow } from '../merge_requests/index.ts'
import type { IssueRow } from '../planning/index.ts'

// Queries on tables of other domains: the subjects of to-do items, and the users whom texts mention.

const TABLES = { Issue: 'issues', MergeRequest: 'merge_requests' } as const

/** The columns of an issue or merge request that to-do items need. */
export interface IssuableRow {
  readonly project_id: number
  readonly title: string
  readonly author_id: number
  readonly description: string | null
  /** Null for merge requests, which are never confidential. */
  readonly confidential: boolean | null
}

/** Returns an issue or merge request by its ID. */
export function issuableById(db: Database, type: keyof typeof TABLES, id: number): IssuableRow | undefined {
  const confidential = type === 'Issue' ? 'confidential' : 'NULL AS confidential'
  return db.one<IssuableRow>(
    `SELECT project_id, title, author_id, description, ${confidential} FROM ${TABLES[type]} WHERE id = ?`,
    id,
  )
}

/** Returns the ID of the issue or merge request with an IID. */
export function issuableId(
  db: Database,
  type: keyof typeof TABLES,
  projectId: number,
  iid: number,
): number | undefined {
  const query = `SELECT id FROM ${TABLES[type]} WHERE project_id = ? AND iid = ?`
  return db.one<{ id: number }>(query, projectId, iid)?.id
}

/** Returns the issues with these IDs, in any order. */
export function issuesByIds(db: Database, ids: readonly number[]): IssueRow[] {
  return db.many<IssueRow>('SELECT * FROM issues WHERE id IN (SELECT value FROM json_each(?))', jsonList(ids))
}

/** Returns the merge requests with these IDs, in any order. */
export function mergeRequestsByIds(db: Database, ids: readonly number[]): MergeRequestRow[] {
  return db.many<MergeRequestRow>(
    'SELECT * FROM merge_requests WHERE id IN (SELECT value FROM json_each(?))',
    jsonList(ids),
  )
}

/** A merge request with the users of its automatic merge. */
export interface AutoMergeRequest {
  readonly id: number
  readonly author_id: number
  readonly merge_user_id: number | null
  readonly merge_when_pipeline_succeeds: boolean
}

/** Returns a merge request with its author and the user who enabled the automatic merge. */
export function mergeRequestById(db: Database, id: number): AutoMergeRequest | undefined {
  return db.one<AutoMergeRequest>(
    'SELECT id, author_id, merge_user_id, merge_when_pipeline_succeeds FROM merge_requests WHERE id = ?',
    id,
  )
}

/** Returns the text of a note. Undefined if it was deleted. */
export function noteText(db: Database, id: number): string | undefined {
  return db.one<{ note: string }>('SELECT note FROM notes WHERE id = ?', id)?.note
}

/** Returns the texts of notes, by ID. */
export function noteTexts(db: Database, ids: readonly number[]): Map<number, string> {
  const rows = db.many<{ id: number; note: string }>(
    'SELECT id, note FROM notes WHERE id IN (SELECT value FROM json_each(?))',
    jsonList(ids),
  )
  return new Map(rows.map((row) => [row.id, row.note]))
}

/** Returns the ID of the active user with a name, in any case. */
export function findActiveUser(db: Database, name: string): number | undefined {
  const query = "SELECT id FROM users WHERE username = ? COLLATE NOCASE AND state = 'active'"
  return db.one<{ id: number }>(query, name)?.id
}

/** Returns the IDs of the direct members of a group. Skips memberships that have expired by `today`. */
export function groupMemberIds(db: Database, groupId: number, today: string): number[] {
  const rows = db.many<{ user_id: number }>(
    'SELECT user_id FROM members WHERE namespace_id = ? AND (expires_at IS NULL OR expires_at > ?)',
    groupId,
    today,
  )
  return rows.map((row) => row.user_id)
}
