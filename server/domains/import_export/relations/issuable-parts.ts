import { awardRecords, eventRecords, importAwards, importEvents } from './activity.ts'
import { childrenOf, choiceOf, textOf, timeOf, integerOf } from './checked.ts'
import * as field from './columns.ts'
import { columnsOf, recordOf, type ColumnMap, type Field, type StoredRow } from './columns.ts'
import { labelLinkRecords, labelRecord, importLabelLinks } from './labels.ts'
import { milestone } from './milestones.ts'
import { noteRecords, importNotes } from './notes.ts'
import { importEach, UnusableRecord, type Fields, type Source, type Target } from './relation.ts'
import { dependentRows } from './store.ts'
import { keyOf, type IssuableSubject } from './store-planning.ts'

// The nested records that issues and merge requests have in common.

const assigneesOf = ({ type }: IssuableSubject): 'issue_assignees' | 'merge_request_assignees' =>
  type === 'Issue' ? 'issue_assignees' : 'merge_request_assignees'

/** The assignees of an issue or merge request. */
function assigneeRecords(source: Source, issuable: IssuableSubject): Fields[] {
  const key = keyOf(issuable)
  const rows = dependentRows(source, assigneesOf(issuable), { key, id: issuable.id, order: 'user_id' })
  return rows.map(({ user_id }) => ({ user_id: user_id! }))
}

/** Imports assignees. The importer replaces users that are not found (spec administration 6.5). */
function importAssignees(records: readonly Fields[], target: Target, issuable: IssuableSubject): void {
  const table = assigneesOf(issuable)
  importEach(target, table, records, (record) => {
    target.link(table, { [keyOf(issuable)]: issuable.id, user_id: target.person(record['user_id']).id })
  })
}

const TIMELOG_FIELDS: ColumnMap = {
  time_spent: field.column((record, name) => {
    const seconds = integerOf(record, name)
    if (!seconds) throw new UnusableRecord("time_spent can't be blank")
    return seconds
  }),
  user_id: field.person(),
  project_id: field.ownerId(),
  spent_at: field.column(
    (record, name, target) => timeOf(record, name) ?? timeOf(record, 'created_at') ?? target.now,
  ),
  summary: field.text(255),
  created_at: field.timeOrNow(),
  updated_at: field.exported('created_at'),
}

/** The records of spent time. */
function timelogRecords(source: Source, issuable: IssuableSubject): Fields[] {
  const rows = dependentRows(source, 'timelogs', { key: keyOf(issuable), id: issuable.id })
  return rows.map((row) => recordOf(TIMELOG_FIELDS, row, source))
}

/** Imports the records of spent time, and stores their sum. */
function importTimelogs(records: readonly Fields[], target: Target, issuable: IssuableSubject): void {
  let total = 0
  importEach(target, 'timelogs', records, (record) => {
    const columns = columnsOf(TIMELOG_FIELDS, record, target)
    target.insert('timelogs', { [keyOf(issuable)]: issuable.id, ...columns })
    total += Number(columns['time_spent'])
  })
  if (total > 0)
    target.update(issuable.type === 'Issue' ? 'issues' : 'merge_requests', issuable.id, {
      total_time_spent: Math.min(total, 2_147_483_647),
    })
}

const STATES = ['opened', 'closed', 'merged', 'reopened'] as const
/** States by their number in older archives. */
const STATE_NUMBERS = ['', 'opened', 'closed', 'merged', 'locked', 'reopened']

const action = field.column((record, name) => {
  const value = record[name]
  if (value === 'add' || value === 1) return 'add'
  if (value === 'remove' || value === 2) return 'remove'
  throw new UnusableRecord('action is not included in the list')
})

/** The fields of resource events, by the name of their list in a record, which is also the name of their table. */
const RESOURCE_EVENTS = {
  resource_label_events: {
    action,
    user_id: field.person(),
    created_at: field.timeOrNow(),
    label: {
      write: (row, source) => labelRecord(source, row['label_id'] as number | null),
      read: (record, target) => ({ label_id: target.label(record['label']) }),
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
      const state = choiceOf({ state: word ?? null }, 'state', STATES, 'opened')
      if (state !== word) throw new UnusableRecord('state is not included in the list')
      return state
    }),
    created_at: field.timeOrNow(),
    source_commit: field.sha(),
  },
} satisfies Readonly<Record<string, ColumnMap>>

/** Changes of labels, milestone or state, oldest first. Each table is a list of its own. */
function resourceEventRecords(
  source: Source,
  table: keyof typeof RESOURCE_EVENTS,
  issuable: IssuableSubject,
): Fields[] {
  const rows = dependentRows(source, table, { key: keyOf(issuable), id: issuable.id })
  return rows.map((row) => recordOf<StoredRow>(RESOURCE_EVENTS[table], row, source))
}

/** Imports changes of labels, milestone and state. */
function importResourceEvents(record: Fields, target: Target, issuable: IssuableSubject): void {
  for (const [table, map] of Object.entries(RESOURCE_EVENTS))
    importEach(target, table, childrenOf(record, table), (event) => {
      target.insert(table, { [keyOf(issuable)]: issuable.id, ...columnsOf(map, event, target) })
    })
}

/** The fields that issues and merge requests share. */
export function issuableFields(type: IssuableSubject['type']) {
  const nested = (write: (source: Source, issuable: IssuableSubject) => Fields[]): Field =>
    field.computed<StoredRow>((row, source) => write(source, { type, id: Number(row['id']) }))
  const resourceEvents = (table: keyof typeof RESOURCE_EVENTS): Field =>
    nested((source, issuable) => resourceEventRecords(source, table, issuable))
  return {
    events: nested(eventRecords),
    timelogs: nested(timelogRecords),
    notes: nested(noteRecords),
    assignees: nested(assigneeRecords),
    award_emoji: nested(awardRecords),
    planning: {
      label_links: nested(labelLinkRecords),
      milestone: milestone(),
      resource_label_events: resourceEvents('resource_label_events'),
      resource_milestone_events: resourceEvents('resource_milestone_events'),
      resource_state_events: resourceEvents('resource_state_events'),
    },
  }
}

/** Imports the nested records of an issue or merge request after its row. */
export function importIssuableParts(
  record: Fields,
  target: Target,
  subject: IssuableSubject & { readonly iid: number; readonly title: string },
): void {
  const { iid, title } = subject
  const subjectInProject = { ...subject, project_id: target.owner.id }
  importLabelLinks(childrenOf(record, 'label_links'), target, subject)
  importAssignees(childrenOf(record, assigneesOf(subject)), target, subject)
  importTimelogs(childrenOf(record, 'timelogs'), target, subject)
  importNotes(childrenOf(record, 'notes'), target, subjectInProject)
  importResourceEvents(record, target, subject)
  importAwards(childrenOf(record, 'award_emoji'), target, subject)
  importEvents(childrenOf(record, 'events'), target, subjectInProject, { iid, title })
}
