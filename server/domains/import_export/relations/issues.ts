import { childOf, childrenOf, iidOf, oneOf, timeOf } from './checked.ts'
import * as field from './columns.ts'
import { columnsOf, recordOf, type ColumnMap } from './columns.ts'
import { issuableFields, importIssuableParts } from './issuable-parts.ts'
import { relation, importEach, UnusableRecord, type Fields, type Target } from './relation.ts'
import { countOf } from './store.ts'
import {
  duplicatesOf,
  hasIssue,
  issuesOf,
  linksOf,
  originalOf,
  type IssueRow,
  type LinkRow,
} from './store-planning.ts'

const TYPES = ['issue', 'incident', 'test_case', 'task'] as const
const STATES = ['opened', 'closed'] as const
const SEVERITIES = ['LOW', 'MEDIUM', 'HIGH', 'CRITICAL']
/** Older archives have their numbers. */
const HEALTH = ['', 'on_track', 'needs_attention', 'at_risk'] as const

const parts = issuableFields('Issue')
const isClosed = (record: Fields): boolean => oneOf(record, 'state', STATES, 'opened') === 'closed'

const LINK_FIELDS: ColumnMap<LinkRow> = {
  iid: field.shown(),
  link_type: field.choice(['relates_to', 'blocks'], 'relates_to'),
  is_source: field.written<LinkRow>((row) => row.is_source === 1),
  created_at: field.timeOrNow(),
  updated_at: field.updatedAt(),
}

const FIELDS: ColumnMap<IssueRow> = {
  iid: field.column(iidOf),
  title: field.required(255),
  description: field.text(),
  state: field.choice(STATES, 'opened'),
  author_id: field.person(),
  updated_by_id: field.maybePerson(),
  confidential: field.flag(),
  closed_at: field.column((record, name, into) => {
    if (!isClosed(record)) return null
    return timeOf(record, name) ?? timeOf(record, 'updated_at') ?? timeOf(record, 'created_at') ?? into.now
  }),
  closed_by_id: field.column((record, name, into) =>
    isClosed(record) ? field.personIn(record, name, into) : null,
  ),
  due_date: field.day(),
  weight: field.integer({ min: 0 }),
  time_estimate: field.integer({ min: 0 }, 0),
  relative_position: field.integer(),
  external_author: field.always(null),
  last_edited_at: field.time(),
  last_edited_by_id: field.maybePerson(),
  discussion_locked: field.maybeFlag(),
  health_status: field.column((record, name) => {
    const value = record[name]
    const word = typeof value === 'number' ? HEALTH[value] : value
    return HEALTH.find((candidate) => candidate !== '' && candidate === word) ?? null
  }),
  external_key: field.always(null),
  issue_type: field.column(typeOf),
  lock_version: field.always(0),
  project_id: field.shown(),
  severity: {
    write: (row) => row.severity.toLowerCase(),
    read: (record) => ({ severity: severityOf(record) }),
  },
  created_at: field.timeOrNow(),
  updated_at: field.updatedAt(),
  duplicated_to_iid: field.written<IssueRow>((row, from) => originalOf(from, row)),
  duplicate_iids: field.written<IssueRow>((row, from) => {
    const iids = duplicatesOf(from, row)
    return iids.length > 0 ? iids : undefined
  }),
  events: parts.events,
  timelogs: parts.timelogs,
  notes: parts.notes,
  ...parts.planning,
  designs: field.always([]),
  design_versions: field.always([]),
  issue_assignees: parts.assignees,
  issue_links: field.written<IssueRow>((row, from) =>
    linksOf(from, row).map((link) => recordOf(LINK_FIELDS, link, from)),
  ),
  zoom_meetings: field.always([]),
  sentry_issue: field.always(null),
  award_emoji: parts.award_emoji,
  work_item_type: field.written<IssueRow>((row) => ({ base_type: row.issue_type })),
}

/** Issues with all their parts, in manual sequence. */
export const issues = relation({
  name: 'issues',
  of: ['project'],
  *records(from) {
    for (const row of issuesOf(from)) yield recordOf(FIELDS, row, from)
  },
  count: (from) => countOf(from, 'issues'),
  importRecord: importIssue,
})

function importIssue(record: Fields, into: Target): void {
  const iid = iidOf(record)
  // The import of issues alone keeps those that exist.
  if (hasIssue(into, iid)) return
  if (into.recall('issue', iid) !== undefined) throw new UnusableRecord('iid has already been taken')
  const project_id = into.owner.id
  const columns = columnsOf(FIELDS, record, into)
  const title = String(columns['title'])
  const id = into.insert('issues', { project_id, ...columns })
  importIssuableParts(record, into, { type: 'Issue', id, iid, title })
  into.remember('issue', iid, id)
  importLinks(record, into, id)
  importDuplicates(record, into, id)
}

/** Links an issue with those that were imported before it: a link is in the records of both ends. */
function importLinks(record: Fields, into: Target, id: number): void {
  importEach(into, 'issue_links', childrenOf(record, 'issue_links'), (link) => {
    const other = into.recall('issue', iidOf(link))
    if (other === undefined || other === id) return
    const [source_id, target_id] = link['is_source'] === true ? [id, other] : [other, id]
    into.link('issue_links', { source_id, target_id, ...columnsOf(LINK_FIELDS, link, into) })
  })
}

/** Notes which imported issue this one duplicates, and which of them duplicate it. */
function importDuplicates(record: Fields, into: Target, id: number): void {
  const original = record['duplicated_to_iid']
  const existing = typeof original === 'number' ? into.recall('issue', original) : undefined
  if (existing !== undefined && existing !== id) into.update('issues', id, { duplicated_to_id: existing })
  const copies = record['duplicate_iids']
  for (const iid of Array.isArray(copies) ? copies.slice(0, 1000) : []) {
    const copy = typeof iid === 'number' ? into.recall('issue', iid) : undefined
    if (copy !== undefined && copy !== id) into.update('issues', copy, { duplicated_to_id: id })
  }
}

/** Newer archives have the type in a record of its own; an unknown type becomes an issue. */
function typeOf(record: Fields): string {
  const newer = childOf(record, 'work_item_type')
  const fields =
    record['issue_type'] === undefined && newer ? { issue_type: newer['base_type'] ?? null } : record
  return oneOf(fields, 'issue_type', TYPES, 'issue')
}

function severityOf(record: Fields): string {
  const value = childOf(record, 'issuable_severity')?.['severity'] ?? record['severity']
  const word = typeof value === 'string' ? value.toUpperCase() : ''
  return SEVERITIES.includes(word) ? word : 'UNKNOWN'
}
