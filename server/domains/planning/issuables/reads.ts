import { jsonList, type Database } from '../../../db/database.ts'
import { labelsByIds } from '../labels/store.ts'
import type { LabelRow } from '../labels/label.ts'
import { milestonesByIds } from '../milestones/store.ts'
import type { MilestoneRow } from '../milestones/milestone.ts'
import { usersById, type UserBasicRow } from '../../users/index.ts'
import { tablesOf, type IssuableName } from './issuable.ts'

interface Pair {
  readonly owner: number
  readonly other: number
}

/** Groups what belongs to some records by their ids; every id has a list. */
function gather<Row>(ids: readonly number[], pairs: readonly Pair[], found: ReadonlyMap<number, Row>) {
  const lists = new Map<number, Row[]>(ids.map((id) => [id, []]))
  for (const { owner, other } of pairs) {
    const row = found.get(other)
    if (row !== undefined) lists.get(owner)!.push(row)
  }
  return lists
}

/** Labels of many issues or merge requests, each list in the order of the titles; two queries for all. */
export function labelsOf(db: Database, kind: IssuableName, ids: readonly number[]): Map<number, LabelRow[]> {
  const { labels, key } = tablesOf(kind)
  const pairs = db.many<Pair>(
    `SELECT ${key} AS owner, label_id AS other FROM ${labels} WHERE ${key} IN (SELECT value FROM json_each(?))`,
    jsonList(ids),
  )
  const lists = gather(ids, pairs, labelsByIds(db, [...new Set(pairs.map((pair) => pair.other))]))
  for (const list of lists.values()) list.sort(byTitle)
  return lists
}

function byTitle(a: LabelRow, b: LabelRow): number {
  return a.title < b.title ? -1 : a.title > b.title ? 1 : a.id - b.id
}

/** Assignees of many issues or merge requests, each list in the order of their ids. */
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
  return gather(
    ids,
    pairs,
    usersById(
      db,
      pairs.map((pair) => pair.other),
    ),
  )
}

/** The milestones that some rows are in, by their ids. */
export function milestonesOf(
  db: Database,
  rows: readonly { readonly milestone_id: number | null }[],
): Map<number, MilestoneRow> {
  const ids = new Set(rows.flatMap((row) => (row.milestone_id === null ? [] : [row.milestone_id])))
  return ids.size === 0 ? new Map() : milestonesByIds(db, [...ids])
}

/** Ids of the labels of one. */
export function labelIdsOf(db: Database, kind: IssuableName, id: number): number[] {
  const { labels, key } = tablesOf(kind)
  const rows = db.many<{ label_id: number }>(`SELECT label_id FROM ${labels} WHERE ${key} = ?`, id)
  return rows.map((row) => row.label_id)
}

/** Ids of the assignees of one. */
export function assigneeIdsOf(db: Database, kind: IssuableName, id: number): number[] {
  const { assignees, key } = tablesOf(kind)
  const rows = db.many<{ user_id: number }>(
    `SELECT user_id FROM ${assignees} WHERE ${key} = ? ORDER BY user_id`,
    id,
  )
  return rows.map((row) => row.user_id)
}
