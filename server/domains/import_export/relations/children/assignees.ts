import type { Fields, Source, Target } from '../relation.ts'
import { takeEach } from './part.ts'
import { keyOf, type IssuableSubject } from './subject.ts'

const tableOf = ({ type }: IssuableSubject): 'issue_assignees' | 'merge_request_assignees' =>
  type === 'Issue' ? 'issue_assignees' : 'merge_request_assignees'

/** Who is to do it: `issue_assignees`, `merge_request_assignees`. */
export function assigneeRecords(from: Source, issuable: IssuableSubject): Fields[] {
  return from.db.many<Fields>(
    `SELECT user_id FROM ${tableOf(issuable)} WHERE ${keyOf(issuable)} = ? ORDER BY user_id`,
    issuable.id,
  )
}

/** Says who is to do it; whoever imports where nobody is found (spec administration 6.5). */
export function takeAssignees(records: readonly Fields[], into: Target, issuable: IssuableSubject): void {
  takeEach(into, tableOf(issuable), records, (record) => {
    into.link(tableOf(issuable), {
      [keyOf(issuable)]: issuable.id,
      user_id: into.person(record['user_id']).id,
    })
  })
}
