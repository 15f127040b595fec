import { sql, type RawBuilder, type Selectable, type SqlBool } from 'kysely'

import { jsonList, q, type Database } from '../../../db/database.ts'
import type { Rows } from '../../../db/rows.ts'
import type { NotesTable } from '../../../db/schema.gen.ts'
import type { Noteable } from './types.ts'

/** A note as stored. */
export type NoteRow = Selectable<NotesTable>

/** The record that notes belong to. */
export type Subject = Pick<Noteable, 'type' | 'project_id' | 'id' | 'sha'>

/** A page of notes. */
export interface NoteWindow {
  /** Include internal notes. */
  readonly internal: boolean
  readonly limit: number
  readonly offset: number
}

/** The filters and order of a list of notes. */
export interface NoteFilter extends NoteWindow {
  readonly order_by: 'created_at' | 'updated_at'
  readonly sort: 'asc' | 'desc'
  readonly activity?: 'all_notes' | 'only_comments' | 'only_activity' | undefined
}

function onSubject(subject: Subject, internal: boolean): RawBuilder<SqlBool> {
  const condition =
    subject.sha === null
      ? sql`n.noteable_type = ${subject.type} AND n.noteable_id = ${subject.id}`
      : sql`n.project_id = ${subject.project_id} AND n.commit_id = ${subject.sha} AND n.noteable_id IS NULL`
  return internal ? sql<SqlBool>`${condition}` : sql<SqlBool>`${condition} AND n.internal = 0`
}

/** Lists the notes of a record. */
export function list(db: Database, subject: Subject, filter: NoteFilter): Rows<NoteRow> {
  let query = q.selectFrom('notes as n').where(onSubject(subject, filter.internal))
  if (filter.activity === 'only_comments') query = query.where('n.system', '=', false)
  if (filter.activity === 'only_activity') query = query.where('n.system', '=', true)
  const rows = db.all<NoteRow>(
    query
      .selectAll('n')
      .orderBy(filter.order_by === 'updated_at' ? 'n.updated_at' : 'n.created_at', filter.sort)
      .orderBy('n.id', filter.sort)
      .limit(filter.limit)
      .offset(filter.offset),
  )
  const { total } = db.get<{ total: number }>(query.select((eb) => eb.fn.countAll<number>().as('total')))!
  return { rows, total }
}

/** Returns one note of a record. */
export function byId(db: Database, subject: Subject, id: number, internal: boolean): NoteRow | undefined {
  return db.get<NoteRow>(
    q.selectFrom('notes as n').where(onSubject(subject, internal)).where('n.id', '=', id).selectAll('n'),
  )
}

/** Lists the notes of a discussion, oldest first. Empty when there is no such discussion. */
export function ofDiscussion(
  db: Database,
  subject: Subject,
  discussionId: string,
  internal: boolean,
): NoteRow[] {
  return db.all<NoteRow>(
    q
      .selectFrom('notes as n')
      .where(onSubject(subject, internal))
      .where('n.discussion_id', '=', discussionId)
      .selectAll('n')
      .orderBy('n.id'),
  )
}

/** Lists one page of discussions, oldest first, each with its notes. */
export function discussions(db: Database, subject: Subject, page: NoteWindow): Rows<readonly NoteRow[]> {
  const query = q.selectFrom('notes as n').where(onSubject(subject, page.internal))
  const ids = db.all<{ discussion_id: string }>(
    query
      .select('n.discussion_id')
      .groupBy('n.discussion_id')
      .orderBy((eb) => eb.fn.min('n.id'))
      .limit(page.limit)
      .offset(page.offset),
  )
  const notes = db.all<NoteRow>(
    query
      .where(
        sql<SqlBool>`n.discussion_id IN (SELECT value FROM json_each(${jsonList(ids.map((row) => row.discussion_id))}))`,
      )
      .selectAll('n')
      .orderBy('n.id'),
  )
  const byDiscussion = Map.groupBy(notes, (note) => note.discussion_id)
  const { total } = db.get<{ total: number }>(
    query.select((eb) => eb.fn.count<number>('n.discussion_id').distinct().as('total')),
  )!
  return { rows: ids.map((row) => byDiscussion.get(row.discussion_id)!), total }
}

export function insert(db: Database, row: Omit<NoteRow, 'id'>): NoteRow {
  return db.get(q.insertInto('notes').values(row).returningAll())!
}

/** The maximum number of notes of one record. System notes count, but are never refused. */
export const MAX_NOTES = 5000

/** Whether a record has the maximum number of notes. */
export function isFull(db: Database, subject: Subject): boolean {
  if (subject.id === null) return false
  const sql = 'SELECT 1 FROM notes WHERE noteable_type = ? AND noteable_id = ? LIMIT 1 OFFSET ?'
  return db.one(sql, subject.type, subject.id, MAX_NOTES - 1) !== undefined
}

const TABLES = { Issue: 'issues', MergeRequest: 'merge_requests' } as const

/**
 * Sets `updated_at` of an issue or merge request, so that lists show it as active. Returns false if it is deleted. Does
 * nothing for other records.
 */
export function touch(db: Database, subject: Subject, now: string): boolean {
  if (subject.type !== 'Issue' && subject.type !== 'MergeRequest') return true
  const sql = `UPDATE ${TABLES[subject.type]} SET updated_at = ? WHERE id = ?`
  return db.exec(sql, now, subject.id).changes > 0
}

export function update(db: Database, id: number, changes: Partial<Omit<NoteRow, 'id'>>): NoteRow {
  return db.get(q.updateTable('notes').set(changes).where('id', '=', id).returningAll())!
}

export function remove(db: Database, id: number): void {
  db.exec('DELETE FROM notes WHERE id = ?', id)
}

/** Lists the first note of each thread at a position in a diff of a record, except those about single commits. */
export function firstsInDiffs(db: Database, subject: Subject): NoteRow[] {
  return db.many<NoteRow>(
    `SELECT * FROM notes WHERE id IN (
       SELECT min(id) FROM notes
         WHERE noteable_type = ? AND noteable_id = ? AND type = 'DiffNote' AND position IS NOT NULL
           AND system = 0 AND about_commit_id IS NULL
         GROUP BY discussion_id)
       ORDER BY id`,
    subject.type,
    subject.id,
  )
}

/** Moves the notes of a thread to another position. */
export function moveThread(
  db: Database,
  { discussion_id, noteable_type, noteable_id }: NoteRow,
  to: Pick<NoteRow, 'position' | 'path' | 'line' | 'line_type'>,
): void {
  db.run(
    q
      .updateTable('notes')
      .set(to)
      .where('discussion_id', '=', discussion_id)
      .where('noteable_type', '=', noteable_type)
      .where('noteable_id', '=', noteable_id)
      .where('position', 'is not', null),
  )
}

/** Whether a discussion has an unresolved note. */
export function isOpenThread(db: Database, discussionId: string): boolean {
  const sql = 'SELECT 1 FROM notes WHERE discussion_id = ? AND resolvable = 1 AND resolved_at IS NULL LIMIT 1'
  return db.one(sql, discussionId) !== undefined
}

/** Who resolves a thread, when, and whether a push did it. */
export interface Resolver {
  readonly user_id: number
  readonly now: string
  readonly by_push?: boolean
}

/** Resolves, or with null unresolves, the resolvable notes of a discussion. Returns the number of changed notes. */
export function resolve(db: Database, discussionId: string, by: Resolver | null): number {
  return by === null
    ? db.exec(
        `UPDATE notes SET resolved_at = NULL, resolved_by_id = NULL, resolved_by_push = 0 WHERE discussion_id = ? AND resolvable = 1
           AND resolved_at IS NOT NULL`,
        discussionId,
      ).changes
    : db.exec(
        `UPDATE notes SET resolved_at = ?, resolved_by_id = ?, resolved_by_push = ? WHERE discussion_id = ? AND resolvable = 1
           AND resolved_at IS NULL`,
        by.now,
        by.user_id,
        by.by_push ? 1 : 0,
        discussionId,
      ).changes
}

/** Counts the unresolved threads of a record. */
export function countOpenThreads(db: Database, type: string, id: number): number {
  return db.one<{ count: number }>(
    `SELECT count(DISTINCT discussion_id) AS count FROM notes
       WHERE noteable_type = ? AND noteable_id = ? AND resolvable = 1 AND resolved_at IS NULL`,
    type,
    id,
  )!.count
}

/** Deletes all notes of a record. */
export function removeAll(db: Database, subject: Subject): void {
  db.run(
    q
      .deleteFrom('notes')
      .where('noteable_type', '=', subject.type)
      .where(subject.sha === null ? 'noteable_id' : 'commit_id', '=', subject.sha ?? subject.id)
      .where('project_id', 'is', subject.project_id),
  )
}

/** Returns the notes with these IDs, in any order. Skips unknown IDs. */
export function byIds(db: Database, ids: readonly number[]): NoteRow[] {
  return db.many<NoteRow>('SELECT * FROM notes WHERE id IN (SELECT value FROM json_each(?))', jsonList(ids))
}

/** The maximum number of notes that `noteTexts` returns. */
const MAX_TEXTS = 200

/**
 * Returns the texts of public notes that may mention other records, newest first: the notes of users, or the system
 * notes of cross references.
 */
export function noteTexts(
  db: Database,
  subject: { readonly type: 'Issue' | 'MergeRequest'; readonly id: number },
  source: 'users' | 'cross_references',
): string[] {
  const condition = source === 'users' ? 'system = 0' : "system = 1 AND action = 'cross_reference'"
  const rows = db.many<{ note: string }>(
    `SELECT note FROM notes WHERE noteable_type = ? AND noteable_id = ? AND internal = 0 AND ${condition}
     ORDER BY id DESC LIMIT ${MAX_TEXTS}`,
    subject.type,
    subject.id,
  )
  return rows.map((row) => row.note)
}
