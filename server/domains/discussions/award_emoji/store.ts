import type { Selectable } from 'kysely'

import { q, type Database } from '../../../db/database.ts'
import type { Rows } from '../../../db/rows.ts'
import type { AwardEmojiTable } from '../../../db/schema.gen.ts'

/** An emoji as stored. */
export type AwardRow = Selectable<AwardEmojiTable>

/** The record or note that emoji belong to. */
export interface Target {
  readonly awardable_type: 'Issue' | 'MergeRequest' | 'Snippet' | 'Note'
  readonly awardable_id: number
}

const awardsOf = ({ awardable_type, awardable_id }: Target) =>
  q
    .selectFrom('award_emoji')
    .where('awardable_type', '=', awardable_type)
    .where('awardable_id', '=', awardable_id)

/** Lists the emoji of a record or note, oldest first. */
export function list(db: Database, target: Target, page: { limit: number; offset: number }): Rows<AwardRow> {
  const query = awardsOf(target)
  const rows = db.all<AwardRow>(query.selectAll().orderBy('id').limit(page.limit).offset(page.offset))
  const { total } = db.get<{ total: number }>(query.select((eb) => eb.fn.countAll<number>().as('total')))!
  return { rows, total }
}

export function byId(db: Database, target: Target, id: number): AwardRow | undefined {
  return db.get<AwardRow>(awardsOf(target).selectAll().where('id', '=', id))
}

/** Returns the emoji with a name that a user awarded. */
export function ofUser(db: Database, target: Target, userId: number, name: string): AwardRow | undefined {
  return db.get<AwardRow>(awardsOf(target).selectAll().where('user_id', '=', userId).where('name', '=', name))
}

export function insert(db: Database, row: Omit<AwardRow, 'id'>): AwardRow {
  return db.get(q.insertInto('award_emoji').values(row).returningAll())!
}

export function remove(db: Database, id: number): void {
  db.exec('DELETE FROM award_emoji WHERE id = ?', id)
}
