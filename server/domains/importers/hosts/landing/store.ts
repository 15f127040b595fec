import type { Insertable, Selectable } from 'kysely'

import { jsonList, q, type Database } from '../../../../db/database.ts'
import type {
  IssuesTable,
  LabelsTable,
  MilestonesTable,
  NotesTable,
  ReleasesTable,
  ReleaseLinksTable,
  ResourceLabelEventsTable,
  ResourceMilestoneEventsTable,
  ResourceStateEventsTable,
  SuggestionsTable,
  UploadsTable,
} from '../../../../db/schema.gen.ts'
import type { IssuableRef, NewProtection, TextTarget } from './types.ts'

const ISSUABLES = { Issue: 'issues', MergeRequest: 'merge_requests' } as const

/** An issue or merge request of a project, by its number. */
export function issuableAt(
  db: Database,
  projectId: number,
  { kind, iid }: IssuableRef,
): { id: number; iid: number } | undefined {
  return db.one(`SELECT id, iid FROM ${ISSUABLES[kind]} WHERE project_id = ? AND iid = ?`, projectId, iid)
}

/** The user with an identity of a provider. */
export function userOfIdentity(db: Database, provider: string, uid: string): number | undefined {
  const sql = 'SELECT user_id FROM identities WHERE provider = ? AND extern_uid = ?'
  return db.one<{ user_id: number }>(sql, provider, uid)?.user_id
}

/** Inserts an issue. Returns its id. */
export function insertIssue(db: Database, row: Insertable<IssuesTable>): number {
  return db.run(q.insertInto('issues').values(row)).id
}

const JOINS = {
  Issue: { labels: 'issue_labels', assignees: 'issue_assignees', key: 'issue_id' },
  MergeRequest: {
    labels: 'merge_request_labels',
    assignees: 'merge_request_assignees',
    key: 'merge_request_id',
  },
} as const

/** Assigns users to an issue or merge request; existing assignees stay. */
export function addAssignees(
  db: Database,
  { kind, id }: { kind: IssuableRef['kind']; id: number },
  userIds: readonly number[],
): void {
  const { assignees, key } = JOINS[kind]
  db.exec(
    `INSERT INTO ${assignees} (${key}, user_id) SELECT ?, value FROM json_each(?) WHERE true ON CONFLICT DO NOTHING`,
    id,
    jsonList(userIds),
  )
}

/** Adds labels to an issue or merge request. */
export function addLabels(
  db: Database,
  { kind, id }: { kind: IssuableRef['kind']; id: number },
  labelIds: readonly number[],
): void {
  const { labels, key } = JOINS[kind]
  db.exec(
    `INSERT INTO ${labels} (${key}, label_id) SELECT ?, value FROM json_each(?) WHERE true ON CONFLICT DO NOTHING`,
    id,
    jsonList(labelIds),
  )
}

/** Inserts a label. Returns its id. */
export function insertLabel(db: Database, row: Insertable<LabelsTable>): number {
  return db.run(q.insertInto('labels').values(row)).id
}

/** Inserts a milestone. Returns its id. */
export function insertMilestone(db: Database, row: Insertable<MilestonesTable>): number {
  return db.run(q.insertInto('milestones').values(row)).id
}

/** Inserts a note. Returns its id. */
export function insertNoteRow(db: Database, row: Insertable<NotesTable>): number {
  return db.run(q.insertInto('notes').values(row)).id
}

/** Columns that a reply copies from the original note. */
export type AnsweredNote = Pick<
  Selectable<NotesTable>,
  'id' | 'discussion_id' | 'type' | 'position' | 'noteable_id' | 'noteable_type'
>

/** The note that another one answers. */
export function answeredNote(db: Database, id: number): AnsweredNote | undefined {
  const sql = 'SELECT id, discussion_id, type, position, noteable_id, noteable_type FROM notes WHERE id = ?'
  return db.one<AnsweredNote>(sql, id)
}

/** Makes a single note the first one of a thread. */
export function startThread(db: Database, noteId: number, resolvable: boolean): void {
  db.exec("UPDATE notes SET type = 'DiscussionNote', resolvable = ? WHERE id = ?", resolvable, noteId)
}

/** Inserts a suggestion of a note. */
export function insertSuggestion(db: Database, row: Insertable<SuggestionsTable>): void {
  db.run(q.insertInto('suggestions').values(row))
}

/** Inserts an upload and adds its bytes to the size of its project. Returns its id. */
export function insertUpload(
  db: Database,
  row: Insertable<UploadsTable> & { project_id: number; size: number },
): number {
  db.exec('UPDATE projects SET uploads_size = uploads_size + ? WHERE id = ?', row.size, row.project_id)
  return db.run(q.insertInto('uploads').values(row)).id
}

/** The parts of the address of an upload. */
export function uploadById(db: Database, id: number): { secret: string; file_name: string } {
  return db.one<{ secret: string; file_name: string }>(
    'SELECT secret, file_name FROM uploads WHERE id = ?',
    id,
  )!
}

const NOTES = "t.system = 0 AND t.noteable_type IN ('Issue', 'MergeRequest') AND t.project_id"
const columnOf = (table: TextTarget['table']) => (table === 'notes' ? 'note' : 'description')

/** The next rows of a table with a text, by id; `text` is null for those that do not contain `piece`. */
export function textsAfter(
  db: Database,
  projectId: number,
  { table, piece, after, limit }: { table: TextTarget['table']; piece: string; after: number; limit: number },
): { id: number; text: string | null }[] {
  const column = columnOf(table)
  return db.many(
    `SELECT t.id, CASE WHEN instr(t.${column}, ?) > 0 THEN t.${column} END AS text FROM ${table} t
     WHERE ${table === 'notes' ? NOTES : 't.project_id'} = ? AND t.id > ? ORDER BY t.id LIMIT ${limit}`,
    piece,
    projectId,
    after,
  )
}

/** Replaces a text that was not changed meanwhile. */
export function updateText(db: Database, { table, id }: TextTarget, before: string, after: string): void {
  const column = columnOf(table)
  db.exec(`UPDATE ${table} SET ${column} = ? WHERE id = ? AND ${column} = ?`, after, id, before)
}

/** The id of a protected branch. */
export function protectionNamed(db: Database, projectId: number, name: string): number | undefined {
  const sql = 'SELECT id FROM protected_branches WHERE project_id = ? AND name = ?'
  return db.one<{ id: number }>(sql, projectId, name)?.id
}

const LEVELS = ['push', 'merge'] as const

/** Protects a branch. Returns the id of the protection. */
export function insertProtection(
  db: Database,
  projectId: number,
  given: Pick<NewProtection, 'name' | 'push' | 'merge' | 'allow_force_push'>,
  now: string,
): number {
  const { id } = db.exec(
    `INSERT INTO protected_branches (project_id, name, allow_force_push, code_owner_approval_required, created_at, updated_at)
     VALUES (?, ?, ?, 0, ?, ?)`,
    projectId,
    given.name,
    given.allow_force_push ?? false,
    now,
    now,
  )
  const sql = 'INSERT INTO protected_branch_levels (protected_branch_id, kind, access_level) VALUES (?, ?, ?)'
  for (const kind of LEVELS) db.exec(sql, id, kind, given[kind])
  return id
}

/** Raises the levels of a protection to the given levels if they are stricter. */
export function tightenProtection(
  db: Database,
  id: number,
  given: Pick<NewProtection, 'push' | 'merge' | 'allow_force_push'>,
  now: string,
): void {
  for (const kind of LEVELS)
    db.exec(
      `UPDATE protected_branch_levels SET access_level = ? WHERE protected_branch_id = ? AND kind = ?
         AND user_id IS NULL AND group_id IS NULL AND deploy_key_id IS NULL AND access_level <> 0
         AND (? = 0 OR access_level < ?)`,
      given[kind],
      id,
      kind,
      given[kind],
      given[kind],
    )
  const sql = 'UPDATE protected_branches SET allow_force_push = ?, updated_at = ? WHERE id = ?'
  db.exec(sql, given.allow_force_push ?? false, now, id)
}

/** Whether a project has a release of a tag. */
export function hasRelease(db: Database, projectId: number, tag: string): boolean {
  return db.one('SELECT 1 FROM releases WHERE project_id = ? AND tag = ?', projectId, tag) !== undefined
}

/** Inserts a release. Returns its id. */
export function insertRelease(db: Database, row: Insertable<ReleasesTable>): number {
  return db.run(q.insertInto('releases').values(row)).id
}

/** Inserts a link of a release; one with the same name or address stays. */
export function insertReleaseLink(db: Database, row: Insertable<ReleaseLinksTable>): void {
  db.run(
    q
      .insertInto('release_links')
      .values(row)
      .onConflict((conflict) => conflict.doNothing()),
  )
}

/** Inserts a change of state. Returns its id. */
export function insertStateEvent(db: Database, row: Insertable<ResourceStateEventsTable>): number {
  return db.run(q.insertInto('resource_state_events').values(row)).id
}

/** Inserts a label that was added or removed. Returns its id. */
export function insertLabelEvent(db: Database, row: Insertable<ResourceLabelEventsTable>): number {
  return db.run(q.insertInto('resource_label_events').values(row)).id
}

/** Inserts a milestone that was set or removed. Returns its id. */
export function insertMilestoneEvent(db: Database, row: Insertable<ResourceMilestoneEventsTable>): number {
  return db.run(q.insertInto('resource_milestone_events').values(row)).id
}

/** Records who closed an issue or merge request that is closed. */
export function setCloser(
  db: Database,
  { kind, id }: { kind: IssuableRef['kind']; id: number },
  userId: number,
): void {
  db.exec(`UPDATE ${ISSUABLES[kind]} SET closed_by_id = ? WHERE id = ? AND state = 'closed'`, userId, id)
}

/** Tables of imported records; dependent rows are deleted with them. */
export const IMPORTED_TABLES = [
  'merge_requests',
  'issues',
  'releases',
  'milestones',
  'labels',
  'protected_branches',
  'push_rules',
  'lfs_objects_projects',
  'uploads',
  'import_marks',
] as const

/** Rows that one statement deletes; marks are small and have no dependents. */
const BATCH = 20
const MARKS_BATCH = 500

/** Deletes some rows of a project. False when there were none. */
export function deleteSome(
  db: Database,
  table: (typeof IMPORTED_TABLES)[number],
  projectId: number,
): boolean {
  const isMarks = table === 'import_marks'
  const key = isMarks ? 'kind, source_key' : 'id'
  const some = `SELECT ${key} FROM ${table} WHERE project_id = ? LIMIT ${isMarks ? MARKS_BATCH : BATCH}`
  return (
    db.exec(`DELETE FROM ${table} WHERE project_id = ? AND (${key}) IN (${some})`, projectId, projectId)
      .changes > 0
  )
}

/** Restarts the numbering of issues, merge requests and milestones. */
export function resetNumbers(db: Database, projectId: number): void {
  db.exec('DELETE FROM internal_ids WHERE project_id = ?', projectId)
}
