import { sql } from 'kysely'

import type { Ctx } from '../../../ctx.ts'
import { jsonList, type Database } from '../../../db/database.ts'
import { boundedCount } from '../../../db/lists.ts'
import type { Rows } from '../../../db/rows.ts'
import { usersById } from '../../users/index.ts'
import { labelsByIds } from '../labels/store.ts'
import { milestonesByIds } from '../milestones/store.ts'
import type { ResourceEventView } from './entity.ts'
import { tablesOf, type Issuable } from './issuable.ts'

/** The kinds of changes with stored events. */
type Resource = 'label' | 'milestone' | 'state'

interface EventRow {
  readonly id: number
  readonly user_id: number | null
  readonly created_at: string
  readonly action?: string
  readonly state?: string
  readonly label_id?: number | null
  readonly milestone_id?: number | null
  readonly source_commit?: string | null
  readonly source_merge_request_id?: number | null
}

const tableOf = (resource: Resource): string => `resource_${resource}_events`

/** Lists the resource events of an issue or merge request, oldest first. */
export function findEvents(
  ctx: Ctx,
  issuable: Issuable,
  resource: Resource,
  page: { readonly limit: number; readonly offset: number },
): Rows<ResourceEventView> {
  const { key } = tablesOf(issuable.kind)
  const rows = ctx.db.many<EventRow>(
    `SELECT * FROM ${tableOf(resource)} WHERE ${key} = ? ORDER BY id LIMIT ? OFFSET ?`,
    issuable.id,
    page.limit,
    page.offset,
  )
  const from = sql`SELECT 1 FROM ${sql.ref(tableOf(resource))} WHERE ${sql.ref(key)} = ${issuable.id}`
  return { rows: viewsOf(ctx, issuable, rows), total: boundedCount(ctx.db, from) }
}

/** Returns a resource event of an issue or merge request by its ID. */
export function findEvent(
  ctx: Ctx,
  issuable: Issuable,
  resource: Resource,
  id: number,
): ResourceEventView | undefined {
  const { key } = tablesOf(issuable.kind)
  const rows = ctx.db.many<EventRow>(
    `SELECT * FROM ${tableOf(resource)} WHERE ${key} = ? AND id = ?`,
    issuable.id,
    id,
  )
  return viewsOf(ctx, issuable, rows)[0]
}

function viewsOf(ctx: Ctx, issuable: Issuable, rows: readonly EventRow[]): ResourceEventView[] {
  const ids = (column: 'user_id' | 'label_id' | 'milestone_id' | 'source_merge_request_id') => [
    ...new Set(rows.flatMap((row) => row[column] ?? [])),
  ]
  const users = usersById(ctx.db, ids('user_id'))
  const labels = labelsByIds(ctx.db, ids('label_id'))
  const milestones = milestonesByIds(ctx.db, ids('milestone_id'))
  const requests = iidsOf(ctx, issuable.project_id, ids('source_merge_request_id'))
  return rows.map(({ user_id, label_id, milestone_id, source_merge_request_id, ...row }) => ({
    ...row,
    resource_type: issuable.kind,
    resource_id: issuable.id,
    user: users.get(user_id ?? 0) ?? null,
    label: labels.get(label_id ?? 0) ?? null,
    milestone: milestones.get(milestone_id ?? 0) ?? null,
    source_merge_request_iid: requests.get(source_merge_request_id ?? 0) ?? null,
  }))
}

/** Returns the IIDs of merge requests by ID. Skips merge requests of other projects. */
function iidsOf(ctx: Ctx, projectId: number, ids: readonly number[]): Map<number, number> {
  const rows = ctx.db.many<{ id: number; iid: number }>(
    'SELECT id, iid FROM merge_requests WHERE project_id = ? AND id IN (SELECT value FROM json_each(?))',
    projectId,
    JSON.stringify(ids),
  )
  return new Map(rows.map((row) => [row.id, row.iid]))
}

type IssuableKey = Pick<Issuable, 'kind' | 'id'>

/** The author and the time of a change. */
interface Change {
  readonly user_id: number | null
  readonly at: string
}

/** Sets the time and the author of the last update. Returns the previous values. */
export function touchRow(db: Database, { kind, id }: IssuableKey, { user_id, at }: Change): object {
  const { table } = tablesOf(kind)
  const before = db.one<object>(`SELECT updated_at, updated_by_id FROM ${table} WHERE id = ?`, id)!
  db.exec(`UPDATE ${table} SET updated_at = ?, updated_by_id = ? WHERE id = ?`, at, user_id, id)
  return before
}

/** Removes and adds labels. */
export function changeLabels(
  db: Database,
  { kind, id }: IssuableKey,
  { added, removed }: { readonly added: readonly number[]; readonly removed: readonly number[] },
): void {
  const { labels, key } = tablesOf(kind)
  removeIds(db, { table: labels, key, column: 'label_id' }, id, removed)
  addIds(db, { table: labels, key, column: 'label_id' }, id, added)
}

/** Records that labels were added or removed. */
export function recordLabels(
  db: Database,
  { kind, id }: IssuableKey,
  action: 'add' | 'remove',
  labelIds: readonly number[],
  { user_id, at }: Change,
): void {
  db.exec(
    `INSERT INTO resource_label_events (${tablesOf(kind).key}, user_id, label_id, action, created_at)
     SELECT ?, ?, value, ?, ? FROM json_each(?)`,
    id,
    user_id,
    action,
    at,
    jsonList(labelIds),
  )
}

/** Removes and adds assignees. */
export function changeAssignees(
  db: Database,
  { kind, id }: IssuableKey,
  { added, removed }: { readonly added: readonly number[]; readonly removed: readonly number[] },
): void {
  const { assignees, key } = tablesOf(kind)
  removeIds(db, { table: assignees, key, column: 'user_id' }, id, removed)
  addIds(db, { table: assignees, key, column: 'user_id' }, id, added)
}

interface JoinTable {
  readonly table: string
  readonly key: string
  readonly column: string
}

function removeIds(
  db: Database,
  { table, key, column }: JoinTable,
  id: number,
  ids: readonly number[],
): void {
  const condition = `${key} = ? AND ${column} IN (SELECT value FROM json_each(?))`
  db.exec(`DELETE FROM ${table} WHERE ${condition}`, id, jsonList(ids))
}

function addIds(db: Database, { table, key, column }: JoinTable, id: number, ids: readonly number[]): void {
  db.exec(`INSERT INTO ${table} (${key}, ${column}) SELECT ?, value FROM json_each(?)`, id, jsonList(ids))
}

/** Returns the milestone and the state of an issue or merge request. */
export function milestoneOf(db: Database, { kind, id }: IssuableKey) {
  return db.one<{ milestone_id: number | null; state: string }>(
    `SELECT milestone_id, state FROM ${tablesOf(kind).table} WHERE id = ?`,
    id,
  )!
}

/** Sets or removes the milestone, and records the change. */
export function changeMilestone(
  db: Database,
  { kind, id }: IssuableKey,
  { from, to, state }: { readonly from: number | null; readonly to: number | null; readonly state: string },
  { user_id, at }: Change,
): void {
  const { table, key } = tablesOf(kind)
  db.exec(`UPDATE ${table} SET milestone_id = ? WHERE id = ?`, to, id)
  db.exec(
    `INSERT INTO resource_milestone_events (${key}, user_id, milestone_id, action, state, created_at)
     VALUES (?, ?, ?, ?, ?, ?)`,
    id,
    user_id,
    to ?? from,
    to === null ? 'remove' : 'add',
    state,
    at,
  )
}

/** The commit or merge request that closed an issue. */
export interface StateSource {
  readonly commit_id?: string | null | undefined
  readonly merge_request_id?: number | null | undefined
}

/** Records a change of the state. */
export function insertStateEvent(
  db: Database,
  { kind, id }: IssuableKey,
  state: 'closed' | 'reopened' | 'merged',
  source: StateSource,
  { user_id, at }: Change,
): void {
  db.exec(
    `INSERT INTO resource_state_events (${tablesOf(kind).key}, user_id, state, source_commit,
       source_merge_request_id, created_at) VALUES (?, ?, ?, ?, ?, ?)`,
    id,
    user_id,
    state,
    source.commit_id ?? null,
    source.merge_request_id ?? null,
    at,
  )
}
