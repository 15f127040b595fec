import type { Selectable } from 'kysely'

import type {
  IssuesTable,
  LabelsTable,
  MergeRequestsTable,
  MilestonesTable,
  NotesTable,
} from '../../../db/schema.gen.ts'
import type { StoredRow } from './columns.ts'
import type { Fields, Source, Target } from './relation.ts'

export type LabelRow = Selectable<LabelsTable>
export type MilestoneRow = Selectable<MilestonesTable>
export type IssueRow = Selectable<IssuesTable>

/** An issue or a merge request, as dependent rows refer to it. */
export interface IssuableSubject {
  readonly type: 'Issue' | 'MergeRequest'
  readonly id: number
}

/** A noteable: an issue, merge request or snippet by its ID, or a commit by its full SHA. */
export type NoteSubject =
  | { readonly type: 'Issue' | 'MergeRequest' | 'Snippet'; readonly id: number }
  | { readonly type: 'Commit'; readonly sha: string }

/** The column of other tables that refers to an issue or merge request. */
export function keyOf({ type }: IssuableSubject): 'issue_id' | 'merge_request_id' {
  return type === 'Issue' ? 'issue_id' : 'merge_request_id'
}

function labelsWhere({ db }: Source, condition: string, id: number): LabelRow[] {
  return db.many<LabelRow>(`SELECT l.* FROM labels l WHERE ${condition} ORDER BY l.title, l.id`, id)
}

/** The labels that the owner itself has. */
export const labelsOf = (source: Source): LabelRow[] =>
  labelsWhere(source, `l.${source.owner.kind}_id = ?`, source.owner.id)

export const labelById = (source: Source, id: number): LabelRow | undefined =>
  labelsWhere(source, 'l.id = ?', id)[0]

/** Labels of an issue or merge request. */
export function labelsOfIssuable(source: Source, issuable: IssuableSubject): LabelRow[] {
  const table = issuable.type === 'Issue' ? 'issue_labels' : 'merge_request_labels'
  const linked = `l.id IN (SELECT label_id FROM ${table} WHERE ${keyOf(issuable)} = ?)`
  return labelsWhere(source, linked, issuable.id)
}

export const labelsOfBoard = (source: Source, boardId: number): LabelRow[] =>
  labelsWhere(source, 'l.id IN (SELECT label_id FROM board_labels WHERE board_id = ?)', boardId)

/** The priority of a label in the exported project. */
export function prioritiesOf({ db, owner }: Source, labelId: number): Fields[] {
  return db.many<Fields>(
    'SELECT project_id, priority FROM label_priorities WHERE label_id = ? AND project_id = ?',
    labelId,
    owner.id,
  )
}

export function milestoneById({ db }: Source, id: number): MilestoneRow | undefined {
  return db.one<MilestoneRow>('SELECT * FROM milestones WHERE id = ?', id)
}

/** Entries of the activity feed about a record, oldest first. */
export function eventsOf({ db }: Source, type: string, id: number): StoredRow[] {
  return db.many<StoredRow>(
    'SELECT * FROM activity_events WHERE target_type = ? AND target_id = ? ORDER BY id',
    type,
    id,
  )
}

export function awardsOf({ db }: Source, type: string, id: number): StoredRow[] {
  return db.many<StoredRow>(
    'SELECT * FROM award_emoji WHERE awardable_type = ? AND awardable_id = ? ORDER BY id',
    type,
    id,
  )
}

/** Issues, sorted by their manual position. Only IDs are sorted, because whole rows would not fit into memory. */
export function issuesOf({ db, owner }: Source): IterableIterator<IssueRow> {
  return db.each<IssueRow>(
    `SELECT i.* FROM (SELECT id FROM issues WHERE project_id = ? ORDER BY relative_position, id LIMIT -1) o
     CROSS JOIN issues i ON i.id = o.id`,
    owner.id,
  )
}

/** Whether the project had an issue with this number before the import. */
export function hasIssue({ db, owner }: Target, iid: number): boolean {
  return db.one('SELECT 1 FROM issues WHERE project_id = ? AND iid = ?', owner.id, iid) !== undefined
}

/** A link to another issue of the project. */
export type LinkRow = {
  /** The number of the other issue. */
  readonly iid: number
  readonly link_type: string
  /** 1 if the link points to the other issue, 0 if it comes from the other issue. */
  readonly is_source: number
  readonly created_at: string
  readonly updated_at: string
}

/** Links of an issue with others of the project, in both directions. */
export function linksOf({ db }: Source, { id, project_id }: Pick<IssueRow, 'id' | 'project_id'>): LinkRow[] {
  return db.many<LinkRow>(
    `SELECT o.iid, k.link_type, 1 AS is_source, k.created_at, k.updated_at FROM issue_links k
       JOIN issues o ON o.id = k.target_id WHERE k.source_id = ? AND o.project_id = ?
     UNION ALL SELECT o.iid, k.link_type, 0, k.created_at, k.updated_at FROM issue_links k
       JOIN issues o ON o.id = k.source_id WHERE k.target_id = ? AND o.project_id = ?
     ORDER BY 1, 2`,
    id,
    project_id,
    id,
    project_id,
  )
}

/** The number of the issue of the same project that an issue duplicates. */
export function originalOf({ db }: Source, { id, project_id }: IssueRow): number | undefined {
  return db.one<{ iid: number }>(
    'SELECT o.iid FROM issues i JOIN issues o ON o.id = i.duplicated_to_id WHERE i.id = ? AND o.project_id = ?',
    id,
    project_id,
  )?.iid
}

/** Numbers of the issues of the same project that duplicate an issue. */
export function duplicatesOf({ db }: Source, { id, project_id }: IssueRow): number[] {
  const rows = db.many<{ iid: number }>(
    'SELECT iid FROM issues WHERE duplicated_to_id = ? AND project_id = ? ORDER BY iid',
    id,
    project_id,
  )
  return rows.map(({ iid }) => iid)
}

/** A note with the name of its author. */
export type NoteRow = Selectable<NotesTable> & { readonly author_name: string }

const NOTES = 'SELECT n.*, u.name AS author_name FROM notes n JOIN users u ON u.id = n.author_id'

/** Notes of an issue, merge request or snippet, oldest first. */
export function notesOf(
  { db }: Source,
  { type, id }: { readonly type: string; readonly id: number },
): NoteRow[] {
  return db.many<NoteRow>(`${NOTES} WHERE n.noteable_type = ? AND n.noteable_id = ? ORDER BY n.id`, type, id)
}

const ON_COMMITS = 'n.project_id = ? AND n.commit_id IS NOT NULL AND n.noteable_id IS NULL'

/** Notes on commits of the project, grouped by commit. */
export function notesOnCommits({ db, owner }: Source): IterableIterator<NoteRow> {
  return db.each<NoteRow>(`${NOTES} WHERE ${ON_COMMITS} ORDER BY n.commit_id, n.id`, owner.id)
}

export function countNotesOnCommits({ db, owner }: Source): number {
  const count = `SELECT count(*) AS total FROM notes n WHERE ${ON_COMMITS}`
  return db.one<{ total: number }>(count, owner.id)!.total
}

/** A merge request with its newest version, if it has one. */
export type RequestRow = Selectable<MergeRequestsTable> & {
  readonly diff_state: string | null
  readonly diff_head: string | null
  readonly diff_base: string | null
  readonly diff_start: string | null
  readonly diff_size: string | null
  readonly diff_commits: number | null
  readonly diff_created_at: string | null
}

/** Merge requests, oldest first. */
export function requestsOf({ db, owner }: Source): IterableIterator<RequestRow> {
  return db.each<RequestRow>(
    `SELECT r.*, d.state AS diff_state, d.head_commit_sha AS diff_head, d.base_commit_sha AS diff_base,
       d.start_commit_sha AS diff_start, d.real_size AS diff_size, d.commits_count AS diff_commits,
       d.created_at AS diff_created_at
     FROM merge_requests r LEFT JOIN merge_request_diffs d ON d.id = r.latest_diff_id
     WHERE r.project_id = ? ORDER BY r.id`,
    owner.id,
  )
}

/** The full SHAs of the commits of a version, newest first. */
export function commitsOfVersion({ db }: Source, versionId: number): string[] {
  const rows = db.many<{ sha: string }>(
    'SELECT sha FROM merge_request_diff_commits WHERE diff_id = ? ORDER BY position',
    versionId,
  )
  return rows.map(({ sha }) => sha)
}
