import type { Selectable } from 'kysely'

import { q, type Database } from '../../../../db/database.ts'
import type { Rows } from '../../../../db/rows.ts'
import type { DraftNotesTable } from '../../../../db/schema.gen.ts'

/** A draft note as stored. */
export type DraftRow = Selectable<DraftNotesTable>

/** The owner of draft notes: an author on a merge request. */
export interface DraftOwner {
  readonly merge_request_id: number
  readonly author_id: number
}

const draftsOf = ({ merge_request_id, author_id }: DraftOwner) =>
  q
    .selectFrom('draft_notes')
    .where('merge_request_id', '=', merge_request_id)
    .where('author_id', '=', author_id)

/** Lists the draft notes of an author on a merge request, oldest first. */
export function list(
  db: Database,
  owner: DraftOwner,
  page: { limit: number; offset: number } = { limit: -1, offset: 0 },
): Rows<DraftRow> {
  const query = draftsOf(owner)
  const rows = db.all<DraftRow>(query.selectAll().orderBy('id').limit(page.limit).offset(page.offset))
  const { total } = db.get<{ total: number }>(query.select((eb) => eb.fn.countAll<number>().as('total')))!
  return { rows, total }
}

export function byId(db: Database, owner: DraftOwner, id: number): DraftRow | undefined {
  return db.get<DraftRow>(draftsOf(owner).selectAll().where('id', '=', id))
}

export function insert(db: Database, row: Omit<DraftRow, 'id'>): DraftRow {
  return db.get(q.insertInto('draft_notes').values(row).returningAll())!
}

export function update(db: Database, id: number, changes: Partial<Omit<DraftRow, 'id'>>): DraftRow {
  return db.get(q.updateTable('draft_notes').set(changes).where('id', '=', id).returningAll())!
}

/** Deletes a draft note. Returns false if it does not exist. */
export function remove(db: Database, id: number): boolean {
  return db.exec('DELETE FROM draft_notes WHERE id = ?', id).changes > 0
}
