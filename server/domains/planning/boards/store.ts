import type { Insertable, Selectable } from 'kysely'

import { jsonList, q, type Database } from '../../../db/database.ts'
import { boundedCount } from '../../../db/lists.ts'
import type { BoardListsTable, BoardsTable } from '../../../db/schema.gen.ts'
import { table } from '../../../db/table.ts'
import type { PlanningOwner } from '../types-owner.ts'

/** A board as stored: how the issues of a project or group are grouped into lists. */
export type BoardRow = Selectable<BoardsTable>

/** A list of a board. It shows the issues with one label, one assignee or one milestone. */
export type ListRow = Selectable<BoardListsTable>

const columnOf = (owner: PlanningOwner) => `${owner.kind}_id` as const

/** Returns the board with this ID if it belongs to the owner. */
export function boardOf(db: Database, owner: PlanningOwner, id: number): BoardRow | undefined {
  return db.one<BoardRow>(`SELECT * FROM boards WHERE id = ? AND ${columnOf(owner)} = ?`, id, owner.id)
}

/** Lists one page of the boards of an owner, oldest first. */
export function list(db: Database, owner: PlanningOwner, page: { limit: number; offset: number }) {
  const query = q.selectFrom('boards').where(columnOf(owner), '=', owner.id)
  const rows: BoardRow[] = db.all(query.selectAll().orderBy('id').limit(page.limit).offset(page.offset))
  return { rows, total: boundedCount(db, query.select('id')) }
}

export const { insert, update, remove } = table('boards')

/** Sets the labels of a board. The board then shows only issues with all of these labels. */
export function setLabels(db: Database, boardId: number, labelIds: readonly number[]): void {
  db.exec('DELETE FROM board_labels WHERE board_id = ?', boardId)
  db.exec(
    'INSERT INTO board_labels (board_id, label_id) SELECT ?, value FROM json_each(?)',
    boardId,
    jsonList(labelIds),
  )
}

/** Returns the IDs of the labels of boards, by board. */
export function labelIds(
  db: Database,
  boardIds: readonly number[],
): { board_id: number; label_id: number }[] {
  return db.many(
    'SELECT board_id, label_id FROM board_labels WHERE board_id IN (SELECT value FROM json_each(?))',
    jsonList(boardIds),
  )
}

/** Returns the lists of boards, sorted by board and position. */
export function listsOf(db: Database, boardIds: readonly number[]): ListRow[] {
  return db.many<ListRow>(
    `SELECT * FROM board_lists WHERE board_id IN (SELECT value FROM json_each(?)) ORDER BY board_id, position, id`,
    jsonList(boardIds),
  )
}

export function listById(db: Database, boardId: number, id: number): ListRow | undefined {
  return db.one<ListRow>('SELECT * FROM board_lists WHERE id = ? AND board_id = ?', id, boardId)
}

export function insertList(db: Database, row: Insertable<BoardListsTable>): ListRow {
  return db.get<ListRow>(q.insertInto('board_lists').values(row).returningAll())!
}

export function removeList(db: Database, id: number): void {
  db.exec('DELETE FROM board_lists WHERE id = ?', id)
}

export function setLimit(db: Database, id: number, max_issue_count: number, now: string): void {
  db.exec('UPDATE board_lists SET max_issue_count = ?, updated_at = ? WHERE id = ?', max_issue_count, now, id)
}

/** Numbers the lists from 0 in the given order. */
export function reorderLists(db: Database, ids: readonly number[], now: string): void {
  db.exec(
    `UPDATE board_lists SET position = o.key, updated_at = ? FROM json_each(?) o
     WHERE board_lists.id = o.value AND position <> o.key`,
    now,
    jsonList(ids),
  )
}
