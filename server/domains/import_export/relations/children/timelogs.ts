import { textOf, timeOf, wholeOf } from '../checked.ts'
import { UnusableRecord, type Fields, type Source, type Target } from '../relation.ts'
import { takeEach } from './part.ts'
import { keyOf, type InProject, type IssuableSubject } from './subject.ts'

/** The time that people worked on something. Every entry names the project that is written. */
export function timelogRecords(from: Source, issuable: IssuableSubject): Fields[] {
  return from.db.many<Fields>(
    `SELECT time_spent, user_id, ? AS project_id, spent_at, summary, created_at, created_at AS updated_at FROM timelogs
     WHERE ${keyOf(issuable)} = ? ORDER BY id`,
    from.owner.id,
    issuable.id,
  )
}

/** Takes over the time that people worked, and keeps the sum of it with the issue or merge request. */
export function takeTimelogs(
  records: readonly Fields[],
  into: Target,
  issuable: InProject<IssuableSubject>,
): void {
  let total = 0
  takeEach(into, 'timelogs', records, (record) => {
    const time_spent = wholeOf(record, 'time_spent')
    if (!time_spent) throw new UnusableRecord("time_spent can't be blank")
    const created_at = timeOf(record, 'created_at') ?? into.now
    into.insert('timelogs', {
      [keyOf(issuable)]: issuable.id,
      user_id: into.person(record['user_id']).id,
      time_spent,
      spent_at: timeOf(record, 'spent_at') ?? created_at,
      summary: textOf(record, 'summary', 255),
      created_at,
    })
    total += time_spent
  })
  if (total > 0)
    into.update(issuable.type === 'Issue' ? 'issues' : 'merge_requests', issuable.id, {
      total_time_spent: Math.min(total, 2_147_483_647),
    })
}
