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
  awardable_type: field.shown(),
  created_at: field.timeOrNow(),
  updated_at: field.updatedAt(),
}

/** The kinds of records that emoji belong to. */
export interface Awardable {
  readonly type: 'Issue' | 'MergeRequest' | 'Snippet' | 'Note'
  readonly id: number
}

/** The records of emoji, oldest first. */
export function awardRecords(from: Source, { type, id }: Awardable): Fields[] {
  return awardsOf(from, type, id).map((row) => recordOf(AWARD_FIELDS, row, from))
}

/** Imports emoji, each at most once per user. */
export function importAwards(records: readonly Fields[], into: Target, { type, id }: Awardable): void {
  importEach(into, 'award_emoji', records, (record) => {
    const columns = columnsOf(AWARD_FIELDS, record, into)
    into.link('award_emoji', { awardable_type: type, awardable_id: id, ...columns })
  })
}

/** Actions by the number that older archives have. */
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
/** Actions on a record; pushes and memberships are about none. */
const ON_RECORDS = new Set([
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
  return typeof word === 'string' && ON_RECORDS.has(word) ? word : undefined
}

const EVENT_FIELDS: ColumnMap = {
  project_id: field.shown(),
  target_type: field.shown(),
  action: field.column((record, name) => {
    const action = actionOf(record[name])
    if (action === undefined) throw new UnusableRecord('action is not included in the list')
    return action
  }),
  author_id: field.person(),
  created_at: field.timeOrNow(),
  updated_at: field.shown('created_at'),
}

/** The record that an entry of the activity feed is about. */
export interface EventTarget {
  readonly type: 'Issue' | 'MergeRequest' | 'Milestone' | 'Note' | 'DiffNote' | 'DiscussionNote'
  readonly id: number
}

/** The entries of the activity feed about a record, oldest first. */
export function eventRecords(from: Source, { type, id }: EventTarget): Fields[] {
  return eventsOf(from, type, id).map((row) => recordOf(EVENT_FIELDS, row, from))
}

/** Imports the entries of the activity feed about a record; the feed shows it under `iid` and `title`. */
export function importEvents(
  records: readonly Fields[],
  into: Target,
  target: EventTarget & { readonly project_id: number },
  { iid, title }: { readonly iid: number; readonly title: string | null },
): void {
  importEach(into, 'events', records, (record) => {
    into.insert('activity_events', {
      project_id: target.project_id,
      namespace_id: null,
      target_type: target.type,
      target_id: target.id,
      target_iid: iid,
      target_title: title,
      details: null,
      ...columnsOf(EVENT_FIELDS, record, into),
    })
  })
}
