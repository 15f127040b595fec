import { requiredText, timeOf } from '../checked.ts'
import { UnusableRecord, type Fields, type Source, type Target } from '../relation.ts'
import { takeEach } from './part.ts'

/** What emoji are given to. */
export interface Awardable {
  readonly type: 'Issue' | 'MergeRequest' | 'Snippet' | 'Note'
  readonly id: number
}

/** The emoji that something was given, oldest first. */
export function awardRecords(from: Source, { type, id }: Awardable): Fields[] {
  return from.db.many<Fields>(
    `SELECT user_id, name, awardable_type, created_at, updated_at FROM award_emoji
     WHERE awardable_type = ? AND awardable_id = ? ORDER BY id`,
    type,
    id,
  )
}

/** Takes over emoji; names that are none are passed over, and nobody gives one twice. */
export function takeAwards(records: readonly Fields[], into: Target, { type, id }: Awardable): void {
  takeEach(into, 'award_emoji', records, (record) => {
    const name = requiredText(record, 'name', 255)
    if (!/^[\w+-]+$/.test(name)) throw new UnusableRecord('name is not a valid emoji name')
    const created_at = timeOf(record, 'created_at') ?? into.now
    into.link('award_emoji', {
      awardable_type: type,
      awardable_id: id,
      user_id: into.person(record['user_id']).id,
      name,
      created_at,
      updated_at: timeOf(record, 'updated_at') ?? created_at,
    })
  })
}
