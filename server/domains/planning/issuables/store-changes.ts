import { jsonList, type Database } from '../../../db/database.ts'
import { tablesOf, type Issuable } from './issuable.ts'

type Key = Pick<Issuable, 'kind' | 'id'>

/** The author and the time of a change. */
interface Change {
  readonly user_id: number | null
  readonly at: string
}

/** Updates the time and the author of the last update. Returns the previous values. */
export function touchRow(db: Database, { kind, id }: Key, { user_id, at }: Change): object {
  const { table } = tablesOf(kind)
  const before = db.one<object>(`SELECT updated_at, updated_by_id FROM ${table} WHERE id = ?`, id)!
  db.exec(`UPDATE ${table} SET updated_at = ?, updated_by_id = ? WHERE id = ?`, at, user_id, id)
  return before
}

/** Removes and adds labels. */
export function changeLabels(
  db: Database,
  { kind, id }: Key,
  { added, removed }: { readonly added: readonly number[]; readonly removed: readonly number[] },
): void {
  const { labels, key } = tablesOf(kind)
  removeIds(db, { table: labels, key, column: 'label_id' }, id, removed)
  addIds(db, { table: labels, key, column: 'label_id' }, id, added)
}

/** Records that labels were added or removed. */
export function recordLabels(
  db: Database,
  { kind, id }: Key,
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
  { kind, id }: Key,
  { added, removed }: { readonly added: readonly number[]; readonly removed: readonly number[] },
): void {
  const { assignees, key } = tablesOf(kind)
  removeIds(db, { table: assignees, key, column: 'user_id' }, id, removed)
  addIds(db, { table: assignees, key, column: 'user_id' }, id, added)
}

interface Joined {
  readonly table: string
  readonly key: string
  readonly column: string
}

function removeIds(db: Database, { table, key, column }: Joined, id: number, ids: readonly number[]): void {
  const condition = `${key} = ? AND ${column} IN (SELECT value FROM json_each(?))`
  db.exec(`DELETE FROM ${table} WHERE ${condition}`, id, jsonList(ids))
}

function addIds(db: Database, { table, key, column }: Joined, id: number, ids: readonly number[]): void {
  db.exec(`INSERT INTO ${table} (${key}, ${column}) SELECT ?, value FROM json_each(?)`, id, jsonList(ids))
}

/** The milestone and the state of an issue or merge request. */
export function milestoneOf(db: Database, { kind, id }: Key) {
  return db.one<{ milestone_id: number | null; state: string }>(
    `SELECT milestone_id, state FROM ${tablesOf(kind).table} WHERE id = ?`,
    id,
  )!
}

/** Sets or removes the milestone, and records the change. */
export function changeMilestone(
  db: Database,
  { kind, id }: Key,
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
  { kind, id }: Key,
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
