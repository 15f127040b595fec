import { requiredText } from './checked.ts'
import * as field from './columns.ts'
import { columnsOf, recordOf, type ColumnMap } from './columns.ts'
import { importEach, UnusableRecord, type Fields, type Json, type Source, type Target } from './relation.ts'
import { awardsOf, eventsOf } from './store-planning.ts'

const AWARD_FIELDS: ColumnMap = {
  user_id: field.person(),
  name: field.column((record, name) => {
    const emoji = requiredText(record, name, 255)
    if (!/^[\w+-]+$/.test(emoji)) throw new UnusableRecord('name is not a valid emoji name')
    return emoji
  }),
  awardable_type: field.exported(),
  created_at: field.timeOrNow(),
  updated_at: field.updatedAt(),
}

/** A record that emoji can be awarded to. */
export interface Awardable {
  readonly type: 'Issue' | 'MergeRequest' | 'Snippet' | 'Note'
  readonly id: number
}

/** The awards of a record, oldest first. */
export function awardRecords(source: Source, { type, id }: Awardable): Fields[] {
  return awardsOf(source, type, id).map((row) => recordOf(AWARD_FIELDS, row, source))
}

/** Imports the awards of a record, each emoji at most once per user. */
export function importAwards(records: readonly Fields[], target: Target, { type, id }: Awardable): void {
  importEach(target, 'award_emoji', records, (record) => {
    const columns = columnsOf(AWARD_FIELDS, record, target)
    target.link('award_emoji', { awardable_type: type, awardable_id: id, ...columns })
  })
}

/** Actions by their number in older archives. */
const ACTION_NUMBERS: readonly string[] = [
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
/** Actions on a record. Pushes and memberships have no record. */
const RECORD_ACTIONS = new Set([
  'created',
  'updated',
  'closed',
  'reopened',
  'commented',
  'merged',
  'destroyed',
  'approved',
])

function actionOf(value: Json | undefined): string | undefined {
  const word = typeof value === 'number' ? ACTION_NUMBERS[value] : value
  return typeof word === 'string' && RECORD_ACTIONS.has(word) ? word : undefined
}

const EVENT_FIELDS: ColumnMap = {
  project_id: field.exported(),
  target_type: field.exported(),
  action: field.column((record, name) => {
    const action = actionOf(record[name])
    if (action === undefined) throw new UnusableRecord('action is not included in the list')
    return action
  }),
  author_id: field.person(),
  created_at: field.timeOrNow(),
  updated_at: field.exported('created_at'),
}

/** The subject of an entry of the activity feed. */
export interface EventTarget {
  readonly type: 'Issue' | 'MergeRequest' | 'Milestone' | 'Note' | 'DiffNote' | 'DiscussionNote'
  readonly id: number
}

/** The entries of the activity feed about a record, oldest first. */
export function eventRecords(source: Source, { type, id }: EventTarget): Fields[] {
  return eventsOf(source, type, id).map((row) => recordOf(EVENT_FIELDS, row, source))
}

/** Imports the entries of the activity feed about a record. The feed shows `iid` and `title` for the record. */
export function importEvents(
  records: readonly Fields[],
  target: Target,
  subject: EventTarget & { readonly project_id: number },
  { iid, title }: { readonly iid: number; readonly title: string | null },
): void {
  importEach(target, 'events', records, (record) => {
    target.insert('activity_events', {
      project_id: subject.project_id,
      namespace_id: null,
      target_type: subject.type,
      target_id: subject.id,
      target_iid: iid,
      target_title: title,
      details: null,
      ...columnsOf(EVENT_FIELDS, record, target),
    })
  })
}
