import { iidOf, timeOf } from '../checked.ts'
import { UnusableRecord, type Fields, type Json, type Source, type Target } from '../relation.ts'
import { takeEach } from './part.ts'

/** The words of an action by the number that older archives have. */
const BY_NUMBER: readonly string[] = [
  '',
  'created',
  'updated',
  'closed',
  'reopened',
  'pushed',
  'commented',
  'merged',
  'joined',
  'left',
  'destroyed',
  'expired',
  'approved',
]
/** What can have happened to a thing; pushes and people are no things. */
const OF_THINGS = new Set([
  'created',
  'updated',
  'closed',
  'reopened',
  'commented',
  'merged',
  'destroyed',
  'approved',
])

/** What happened to a thing, as the feed names it. */
export interface EventTarget {
  readonly type: 'Issue' | 'MergeRequest' | 'Milestone' | 'Note' | 'DiffNote' | 'DiscussionNote'
  readonly id: number
}

/** What the feed tells of a thing, oldest first. */
export function eventRecords(from: Source, { type, id }: EventTarget): Fields[] {
  return from.db.many<Fields>(
    `SELECT project_id, target_type, action, author_id, created_at, created_at AS updated_at FROM activity_events
     WHERE target_type = ? AND target_id = ? ORDER BY id`,
    type,
    id,
  )
}

/** Takes over what the feed tells of a thing; `thing` is how the feed shows it. */
export function takeEvents(
  records: readonly Fields[],
  into: Target,
  target: EventTarget & { readonly project_id: number },
  thing: { readonly iid: number | null; readonly title: string | null },
): void {
  takeEach(into, 'events', records, (record) => {
    const action = actionOf(record['action'])
    if (action === undefined) throw new UnusableRecord('action is not included in the list')
    into.insert('activity_events', {
      project_id: target.project_id,
      namespace_id: null,
      author_id: into.person(record['author_id']).id,
      action,
      target_type: target.type,
      target_id: target.id,
      target_iid: thing.iid,
      target_title: thing.title,
      details: null,
      created_at: timeOf(record, 'created_at') ?? into.now,
    })
  })
}

/** How the feed shows an issue, a merge request or a milestone of a record. */
export function thingOf(record: Fields, title: string): { iid: number; title: string } {
  return { iid: iidOf(record), title }
}

function actionOf(value: Json | undefined): string | undefined {
  const word = typeof value === 'number' ? BY_NUMBER[value] : value
  return typeof word === 'string' && OF_THINGS.has(word) ? word : undefined
}
