import { jsonList, type Database } from '../../../db/database.ts'
import { labelsByIds } from '../labels/store.ts'
import type { LabelRow } from '../labels/label.ts'
import { usersById, type UserBasicRow } from '../../users/index.ts'
import { tablesOf, type IssuableName, type Issuable } from './issuable.ts'
import type { Ctx } from '../../../ctx.ts'

/** The query that advances a counter of IIDs. */
export const NEXT = (column: 'project_id' | 'group_id') => `
  INSERT INTO internal_ids (${column}, usage, last_value) VALUES (?, ?, ?)
  ON CONFLICT (${column}, usage) WHERE ${column} IS NOT NULL
  DO UPDATE SET last_value = max(last_value + ?, excluded.last_value) RETURNING last_value`

interface Pair {
  readonly owner: number
  readonly other: number
}

/** Groups related rows by the ID of their owner. Every ID gets a list, which may be empty. */
function groupRows<Row>(ids: readonly number[], pairs: readonly Pair[], byId: ReadonlyMap<number, Row>) {
  const lists = new Map<number, Row[]>(ids.map((id) => [id, []]))
  for (const { owner, other } of pairs) {
    const row = byId.get(other)
    if (row !== undefined) lists.get(owner)!.push(row)
  }
  return lists
}

/** Returns the labels of issues or merge requests, by ID. Each list is ordered by title. Runs two queries in total. */
export function labelsOf(db: Database, kind: IssuableName, ids: readonly number[]): Map<number, LabelRow[]> {
  const { labels, key } = tablesOf(kind)
  const pairs = db.many<Pair>(
    `SELECT ${key} AS owner, label_id AS other FROM ${labels} WHERE ${key} IN (SELECT value FROM json_each(?))`,
    jsonList(ids),
  )
  const lists = groupRows(ids, pairs, labelsByIds(db, [...new Set(pairs.map((pair) => pair.other))]))
  for (const list of lists.values()) list.sort(byTitle)
  return lists
}

function byTitle(a: LabelRow, b: LabelRow): number {
  return a.title < b.title ? -1 : a.title > b.title ? 1 : a.id - b.id
}

/**
 * Returns the assignees of issues or merge requests, by ID. Each list is ordered by user ID. Runs two queries in total.
 */
export function assigneesOf(
  db: Database,
  kind: IssuableName,
  ids: readonly number[],
): Map<number, UserBasicRow[]> {
  const { assignees, key } = tablesOf(kind)
  const pairs = db.many<Pair>(
    `SELECT ${key} AS owner, user_id AS other FROM ${assignees}
     WHERE ${key} IN (SELECT value FROM json_each(?)) ORDER BY ${key}, user_id`,
    jsonList(ids),
  )
  return groupRows(
    ids,
    pairs,
    usersById(
      db,
      pairs.map((pair) => pair.other),
    ),
  )
}

/** Returns the IDs of the labels of a record. */
export function labelIdsOf(db: Database, kind: IssuableName, id: number): number[] {
  const { labels, key } = tablesOf(kind)
  const rows = db.many<{ label_id: number }>(`SELECT label_id FROM ${labels} WHERE ${key} = ?`, id)
  return rows.map((row) => row.label_id)
}

/** Returns the IDs of the assignees of a record. */
export function assigneeIdsOf(db: Database, kind: IssuableName, id: number): number[] {
  const { assignees, key } = tablesOf(kind)
  const rows = db.many<{ user_id: number }>(
    `SELECT user_id FROM ${assignees} WHERE ${key} = ? ORDER BY user_id`,
    id,
  )
  return rows.map((row) => row.user_id)
}

/** The time estimate and the spent time of a record, in seconds. */
export interface Times {
  readonly time_estimate: number
  readonly total_time_spent: number
}

/** Spent time to add. */
export interface SpentTime {
  /** Negative to subtract time. */
  readonly seconds: number
  readonly summary?: string | null | undefined
  /** When the time was spent; now by default. */
  readonly spent_at?: string | undefined
}

/** Returns the stored times of a record. */
export function timesOf(ctx: Ctx, { kind, id }: Issuable): Times {
  const { table } = tablesOf(kind)
  return ctx.db.one<Times>(`SELECT time_estimate, total_time_spent FROM ${table} WHERE id = ?`, id)!
}

export function log(
  ctx: Ctx,
  { kind, id }: Issuable,
  { seconds, summary, spent_at }: Required<SpentTime>,
): void {
  ctx.db.exec(
    `INSERT INTO timelogs (${tablesOf(kind).key}, user_id, time_spent, spent_at, summary, created_at)
     VALUES (?, ?, ?, ?, ?, ?)`,
    id,
    ctx.actor.id,
    seconds,
    spent_at ?? ctx.now,
    summary ?? null,
    ctx.now,
  )
}
