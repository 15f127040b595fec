import { awardRecords, eventRecords, importAwards, importEvents } from './activity.ts'
import { childrenOf, oneOf, textOf, timeOf, wholeOf } from './checked.ts'
import * as field from './columns.ts'
import { columnsOf, recordOf, type ColumnMap, type Field, type Stored } from './columns.ts'
import { labelLinkRecords, labelRecord, importLabelLinks } from './labels.ts'
import { milestone } from './milestones.ts'
import { noteRecords, importNotes } from './notes.ts'
import { importEach, UnusableRecord, type Fields, type Source, type Target } from './relation.ts'
import { partsOf } from './store.ts'
import { keyOf, type IssuableSubject } from './store-planning.ts'

// The parts that issues and merge requests have in common.

const assigneesOf = ({ type }: IssuableSubject): 'issue_assignees' | 'merge_request_assignees' =>
  type === 'Issue' ? 'issue_assignees' : 'merge_request_assignees'

/** The assignees: `issue_assignees`, `merge_request_assignees`. */
function assigneeRecords(from: Source, issuable: IssuableSubject): Fields[] {
  const key = keyOf(issuable)
  const rows = partsOf(from, assigneesOf(issuable), { key, id: issuable.id, order: 'user_id' })
  return rows.map(({ user_id }) => ({ user_id: user_id! }))
}

/** Imports assignees; the importer replaces unknown accounts (spec administration 6.5). */
function importAssignees(records: readonly Fields[], into: Target, issuable: IssuableSubject): void {
  const table = assigneesOf(issuable)
  importEach(into, table, records, (record) => {
    into.link(table, { [keyOf(issuable)]: issuable.id, user_id: into.person(record['user_id']).id })
  })
}

const TIMELOG_FIELDS: ColumnMap = {
  time_spent: field.column((record, name) => {
    const seconds = wholeOf(record, name)
    if (!seconds) throw new UnusableRecord("time_spent can't be blank")
    return seconds
  }),
  user_id: field.person(),
  project_id: field.ownerId(),
  spent_at: field.column(
    (record, name, into) => timeOf(record, name) ?? timeOf(record, 'created_at') ?? into.now,
  ),
  summary: field.text(255),
  created_at: field.timeOrNow(),
  updated_at: field.shown('created_at'),
}

/** The records of spent time. */
function timelogRecords(from: Source, issuable: IssuableSubject): Fields[] {
  const rows = partsOf(from, 'timelogs', { key: keyOf(issuable), id: issuable.id })
  return rows.map((row) => recordOf(TIMELOG_FIELDS, row, from))
}

/** Imports the records of spent time, and their sum. */
function importTimelogs(records: readonly Fields[], into: Target, issuable: IssuableSubject): void {
  let total = 0
  importEach(into, 'timelogs', records, (record) => {
    const columns = columnsOf(TIMELOG_FIELDS, record, into)
    into.insert('timelogs', { [keyOf(issuable)]: issuable.id, ...columns })
    total += Number(columns['time_spent'])
  })
  if (total > 0)
    into.update(issuable.type === 'Issue' ? 'issues' : 'merge_requests', issuable.id, {
      total_time_spent: Math.min(total, 2_147_483_647),
    })
}

const STATES = ['opened', 'closed', 'merged', 'reopened'] as const
/** The numbers that older archives have for states. */
const STATE_NUMBERS = ['', 'opened', 'closed', 'merged', 'locked', 'reopened']

const action = field.column((record, name) => {
  const value = record[name]
  if (value === 'add' || value === 1) return 'add'
  if (value === 'remove' || value === 2) return 'remove'
  throw new UnusableRecord('action is not included in the list')
})

/** The lists of events by their names in a record, which are those of their tables. */
const RESOURCE_EVENTS = {
  resource_label_events: {
    action,
    user_id: field.person(),
    created_at: field.timeOrNow(),
    label: {
      write: (row, from) => labelRecord(from, row['label_id'] as number | null),
      read: (record, into) => ({ label_id: into.label(record['label']) }),
    },
  },
  resource_milestone_events: {
    action,
    state: field.column((record, name) => textOf(record, name, 32) ?? 'opened'),
    user_id: field.person(),
    created_at: field.timeOrNow(),
    milestone: milestone(),
  },
  resource_state_events: {
    user_id: field.person(),
    state: field.column((record, name) => {
      const value = record[name]
      const word = typeof value === 'number' ? STATE_NUMBERS[value] : value
      const state = oneOf({ state: word ?? null }, 'state', STATES, 'opened')
      if (state !== word) throw new UnusableRecord('state is not included in the list')
      return state
    }),
    created_at: field.timeOrNow(),
    source_commit: field.sha(),
  },
} satisfies Readonly<Record<string, ColumnMap>>

/** Changes of labels, of the milestone or of the state, oldest first: one list for each table. */
function resourceEventRecords(
  from: Source,
  table: keyof typeof RESOURCE_EVENTS,
  issuable: IssuableSubject,
): Fields[] {
  const rows = partsOf(from, table, { key: keyOf(issuable), id: issuable.id })
  return rows.map((row) => recordOf<Stored>(RESOURCE_EVENTS[table], row, from))
}

/** Imports changes of labels, milestone and state. */
function importResourceEvents(record: Fields, into: Target, issuable: IssuableSubject): void {
  for (const [table, map] of Object.entries(RESOURCE_EVENTS))
    importEach(into, table, childrenOf(record, table), (event) => {
      into.insert(table, { [keyOf(issuable)]: issuable.id, ...columnsOf(map, event, into) })
    })
}

/** The fields of the parts. */
export function issuableFields(type: IssuableSubject['type']) {
  const part = (write: (from: Source, issuable: IssuableSubject) => Fields[]): Field =>
    field.written<Stored>((row, from) => write(from, { type, id: Number(row['id']) }))
  const changes = (table: keyof typeof RESOURCE_EVENTS): Field =>
    part((from, issuable) => resourceEventRecords(from, table, issuable))
  return {
    events: part(eventRecords),
    timelogs: part(timelogRecords),
    notes: part(noteRecords),
    assignees: part(assigneeRecords),
    award_emoji: part(awardRecords),
    planning: {
      label_links: part(labelLinkRecords),
      milestone: milestone(),
      resource_label_events: changes('resource_label_events'),
      resource_milestone_events: changes('resource_milestone_events'),
      resource_state_events: changes('resource_state_events'),
    },
  }
}

/** Imports the parts of an issue or merge request that has its row. */
export function importIssuableParts(
  record: Fields,
  into: Target,
  subject: IssuableSubject & { readonly iid: number; readonly title: string },
): void {
  const { iid, title } = subject
  const owned = { ...subject, project_id: into.owner.id }
  importLabelLinks(childrenOf(record, 'label_links'), into, subject)
  importAssignees(childrenOf(record, assigneesOf(subject)), into, subject)
  importTimelogs(childrenOf(record, 'timelogs'), into, subject)
  importNotes(childrenOf(record, 'notes'), into, owned)
  importResourceEvents(record, into, subject)
  importAwards(childrenOf(record, 'award_emoji'), into, subject)
  importEvents(childrenOf(record, 'events'), into, owned, { iid, title })
}
