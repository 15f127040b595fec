import type { Insertable, Updateable } from 'kysely'

import { jsonList, q, type Database } from '../../../db/database.ts'
import { boundedCount } from '../../../db/lists.ts'
import type { BoardListsTable, BoardsTable } from '../../../db/schema.gen.ts'
import type { LabelOwner } from '../labels/owner.ts'
import type { BoardRow, ListRow } from './board.ts'

const columnOf = (owner: LabelOwner) => `${owner.kind}_id` as const

/** The board of that id if it is the owner's. */
export function boardOf(db: Database, owner: LabelOwner, id: number): BoardRow | undefined {
  return db.one<BoardRow>(`SELECT * FROM boards WHERE id = ? AND ${columnOf(owner)} = ?`, id, owner.id)
}

/** One page of the boards of an owner, the oldest first. */
export function list(db: Database, owner: LabelOwner, page: { limit: number; offset: number }) {
  const found = q.selectFrom('boards').where(columnOf(owner), '=', owner.id)
  const rows: BoardRow[] = db.all(found.selectAll().orderBy('id').limit(page.limit).offset(page.offset))
  return { rows, total: boundedCount(db, found.select('id')) }
}

export function insert(db: Database, row: Insertable<BoardsTable>): BoardRow {
  return db.get<BoardRow>(q.insertInto('boards').values(row).returningAll())!
}

export function update(db: Database, id: number, changes: Updateable<BoardsTable>): BoardRow {
  return db.get<BoardRow>(q.updateTable('boards').set(changes).where('id', '=', id).returningAll())!
}

export function remove(db: Database, id: number): void {
  db.exec('DELETE FROM boards WHERE id = ?', id)
}

/** Limits a board to issues that have all of these labels. */
export function setLabels(db: Database, boardId: number, labelIds: readonly number[]): void {
  db.exec('DELETE FROM board_labels WHERE board_id = ?', boardId)
  db.exec(
    'INSERT INTO board_labels (board_id, label_id) SELECT ?, value FROM json_each(?)',
    boardId,
    jsonList(labelIds),
  )
}

/** Ids of the labels that some boards are limited to. */
export function labelIds(
  db: Database,
  boardIds: readonly number[],
): { board_id: number; label_id: number }[] {
  return db.many(
    'SELECT board_id, label_id FROM board_labels WHERE board_id IN (SELECT value FROM json_each(?))',
    jsonList(boardIds),
  )
}

/** The lists of some boards, each board's from left to right. */
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

/** Numbers lists from 0 in the given order. */
export function order(db: Database, ids: readonly number[], now: string): void {
  db.exec(
    `UPDATE board_lists SET position = o.key, updated_at = ? FROM json_each(?) o
     WHERE board_lists.id = o.value AND position <> o.key`,
    now,
    jsonList(ids),
  )
}
