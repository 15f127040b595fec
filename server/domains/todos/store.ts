import { sql, type RawBuilder, type SqlBool } from 'kysely'

import { jsonList, q, type Database } from '../../db/database.ts'
import { boundedCount, selectAll } from '../../db/lists.ts'
import { REPEATABLE, type TodoRow, type TodoSubject } from './types.ts'
import type { Ctx } from '../../ctx.ts'
import { seesAll } from '../../policy/actor.ts'
import { REPORTER } from '../../policy/levels.ts'
import { projectsWithFeature, visibleGroups, visibleProjects, projectsOfMember } from '../members/index.ts'
import { visibleIssues } from '../planning/index.ts'

type Condition = RawBuilder<SqlBool>

/** The filters of a list of items. An undefined filter matches everything. */
export interface TodoFilter {
  readonly state?: readonly string[] | undefined
  readonly action?: readonly string[] | undefined
  readonly type?: readonly string[] | undefined
  readonly author_id?: readonly number[] | undefined
  readonly project_id?: readonly number[] | undefined
  /** Groups with their subgroups and projects. */
  readonly group_id?: readonly number[] | undefined
}

function hasValue(column: string, values: readonly (string | number)[] | undefined): Condition[] {
  if (values === undefined) return []
  // With a single value, the index also yields the order of the list.
  if (values.length === 1) return [sql<SqlBool>`${sql.ref(column)} = ${values[0]}`]
  return [sql<SqlBool>`${sql.ref(column)} IN (SELECT value FROM json_each(${jsonList(values)}))`]
}

function belowGroups(groups: readonly number[] | undefined): Condition[] {
  if (groups === undefined) return []
  const tree = sql`WITH RECURSIVE tree (id) AS (
    SELECT value FROM json_each(${jsonList(groups)})
    UNION SELECT c.id FROM namespaces c JOIN tree ON c.parent_id = tree.id) SELECT id FROM tree`
  return [
    sql<SqlBool>`(t.group_id IN (${tree}) OR t.project_id IN (SELECT b.id FROM projects b WHERE b.namespace_id IN (${tree})))`,
  ]
}

function fromTodos(viewer: Viewer, filter: TodoFilter): RawBuilder<unknown> {
  const conditions = [
    sql<SqlBool>`t.user_id = ${viewer.actor.id}`,
    ...hasValue('t.state', filter.state),
    ...hasValue('t.action', filter.action),
    ...hasValue('t.target_type', filter.type),
    ...hasValue('t.author_id', filter.author_id),
    ...hasValue('t.project_id', filter.project_id),
    ...belowGroups(filter.group_id),
    visible(viewer),
  ]
  return sql`FROM todos t WHERE ${sql.join(conditions, sql` AND `)}`
}

/** Returns one page of the viewer's items about visible subjects, newest first. */
export function list(
  db: Database,
  viewer: Viewer,
  filter: TodoFilter,
  page: { limit: number; offset: number },
) {
  const source = fromTodos(viewer, filter)
  const rows = selectAll(
    db,
    sql<TodoRow>`SELECT t.* ${source} ORDER BY t.id DESC LIMIT ${page.limit} OFFSET ${page.offset}`,
  )
  return { rows, total: boundedCount(db, sql`SELECT t.id ${source}`) }
}

/** Counts the pending items of the viewer. */
export function pendingCount(db: Database, viewer: Viewer): number {
  return boundedCount(db, sql`SELECT t.id ${fromTodos(viewer, { state: ['pending'] })}`)
}

/** Returns one item of the viewer. */
export function byId(db: Database, viewer: Viewer, id: number): TodoRow | undefined {
  return selectAll(db, sql<TodoRow>`SELECT t.* ${fromTodos(viewer, {})} AND t.id = ${id}`)[0]
}

/** Marks the pending items that match a filter as done. Returns their number. */
export function finishAll(db: Database, viewer: Viewer, filter: TodoFilter, now: string): number {
  const ids = sql`SELECT t.id ${fromTodos(viewer, { ...filter, state: ['pending'] })}`
  return finishWhere(db, sql<SqlBool>`id IN (${ids})`, now).length
}

/** Marks pending items as done. Returns the IDs of their users. */
function finishWhere(db: Database, condition: Condition, now: string): number[] {
  const query = sql<{ user_id: number }>`UPDATE todos SET state = 'done', updated_at = ${now}
    WHERE state = 'pending' AND ${condition} RETURNING user_id`
  return selectAll(db, query).map((row) => row.user_id)
}

/** Sets the state of an item. */
export function setState(db: Database, id: number, state: 'pending' | 'done', now: string): void {
  db.exec('UPDATE todos SET state = ?, updated_at = ? WHERE id = ?', state, now, id)
}

/** Returns the condition that an item has this subject. */
function about(subject: TodoSubject): Condition {
  return sql<SqlBool>`target_type = ${subject.target_type} AND target_id IS ${subject.target_id}
    AND commit_id IS ${subject.commit_id} AND project_id IS ${subject.project_id}`
}

/** Returns those of the users who have a pending item about a subject. Repeatable actions do not count. */
export function usersWithPendingItem(
  db: Database,
  subject: TodoSubject,
  userIds: readonly number[],
): Set<number> {
  const rows = selectAll(
    db,
    sql<{ user_id: number }>`SELECT user_id FROM todos WHERE ${about(subject)} AND state = 'pending'
      AND user_id IN (SELECT value FROM json_each(${jsonList(userIds)}))
      AND action NOT IN (SELECT value FROM json_each(${jsonList([...REPEATABLE])}))`,
  )
  return new Set(rows.map((row) => row.user_id))
}

/** Returns the newest pending item of a user about a subject, with any action. */
export function pendingOf(db: Database, subject: TodoSubject, userId: number): TodoRow | undefined {
  return selectAll(
    db,
    sql<TodoRow>`SELECT * FROM todos WHERE ${about(subject)} AND state = 'pending' AND user_id = ${userId}
      ORDER BY id DESC LIMIT 1`,
  )[0]
}

/**
 * Returns those of the users who have an item with the same cause: about the same note, or a pending item about the
 * description or about the same access request.
 */
export function alreadyReminded(
  db: Database,
  todo: Pick<TodoRow, 'action' | 'note_id' | 'author_id'> & TodoSubject,
  userIds: readonly number[],
): Set<number> {
  const hasSameCause =
    todo.action === 'member_access_requested'
      ? sql`action = 'member_access_requested' AND author_id = ${todo.author_id} AND state = 'pending'`
      : todo.note_id === null
        ? sql`action IN ('mentioned', 'directly_addressed') AND note_id IS NULL AND state = 'pending'`
        : sql`action IN ('mentioned', 'directly_addressed') AND note_id = ${todo.note_id}`
  const rows = selectAll(
    db,
    sql<{ user_id: number }>`SELECT user_id FROM todos WHERE ${about(todo)} AND ${hasSameCause}
      AND user_id IN (SELECT value FROM json_each(${jsonList(userIds)}))`,
  )
  return new Set(rows.map((row) => row.user_id))
}

export function insert(db: Database, row: Omit<TodoRow, 'id'>): TodoRow {
  return db.get<TodoRow>(q.insertInto('todos').values(row).returningAll())!
}

/** Marks the pending items of a user about a subject as done. Returns the IDs of their users. */
export function finishOfUser(db: Database, subject: TodoSubject, userId: number, now: string): number[] {
  return finishWhere(db, sql<SqlBool>`${about(subject)} AND user_id = ${userId}`, now)
}

/** Marks the items about a user's access request as done. Returns the IDs of their users. */
export function finishAccessRequest(
  db: Database,
  subject: TodoSubject,
  requesterId: number,
  now: string,
): number[] {
  const condition = sql<SqlBool>`target_type = ${subject.target_type} AND target_id = ${subject.target_id}
    AND action = 'member_access_requested' AND author_id = ${requesterId}`
  return finishWhere(db, condition, now)
}

/** Deletes the items of a user that the viewer may not see. Returns the IDs of their users. */
export function removeUnseen(db: Database, viewer: Viewer, userId: number): number[] {
  const query = sql<{ user_id: number }>`DELETE FROM todos
    WHERE id IN (SELECT t.id FROM todos t WHERE t.user_id = ${userId} AND NOT ${visible(viewer)}) RETURNING user_id`
  return selectAll(db, query).map((row) => row.user_id)
}

/** Returns the users who have items, in a project or on the whole instance. */
export function usersWithTodos(db: Database, projectId?: number): number[] {
  const rows =
    projectId === undefined
      ? db.many<{ user_id: number }>('SELECT DISTINCT user_id FROM todos')
      : db.many<{ user_id: number }>('SELECT DISTINCT user_id FROM todos WHERE project_id = ?', projectId)
  return rows.map((row) => row.user_id)
}

/** The viewer of to-do items, and the time. */
export type Viewer = Pick<Ctx, 'actor' | 'now'>

/** Returns the condition that the viewer may still see the subject of an item `t`. Lists skip other items (7.2). */
export function visible(viewer: Viewer): RawBuilder<SqlBool> {
  return sql<SqlBool>`(
    (t.project_id IS NOT NULL AND EXISTS (SELECT 1 FROM projects p WHERE p.id = t.project_id AND ${inProject(viewer)}))
    OR (t.project_id IS NULL AND EXISTS (SELECT 1 FROM namespaces n WHERE n.id = t.group_id AND ${visibleGroups(viewer)})))`
}

/** Returns the condition for items of a project `p`, by the type of the subject. */
function inProject(viewer: Viewer): RawBuilder<SqlBool> {
  return sql<SqlBool>`(CASE t.target_type
      WHEN 'Issue' THEN ${projectsWithFeature(viewer, 'issues')}
        AND EXISTS (SELECT 1 FROM issues i WHERE i.id = t.target_id AND ${visibleIssues(viewer)})
      WHEN 'MergeRequest' THEN ${projectsWithFeature(viewer, 'merge_requests')}
      WHEN 'Commit' THEN ${projectsWithFeature(viewer, 'repository')}
      ELSE ${visibleProjects(viewer, 'check')} END)
    AND (t.note_id IS NULL OR ${isReporter(viewer)}
      OR EXISTS (SELECT 1 FROM notes o WHERE o.id = t.note_id AND o.internal = 0))`
}

/** Returns the condition that the viewer has at least the Reporter role in the project `p`. */
function isReporter(viewer: Viewer): RawBuilder<SqlBool> {
  return seesAll(viewer.actor) ? sql<SqlBool>`1` : projectsOfMember(viewer, REPORTER, 'check')
}
