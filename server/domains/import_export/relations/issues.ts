import { childOf, childrenOf, iidOf, choiceOf, timeOf } from './checked.ts'
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
/** Older archives contain the index in this list. */
const HEALTH = ['', 'on_track', 'needs_attention', 'at_risk'] as const

const sharedFields = issuableFields('Issue')
const isClosed = (record: Fields): boolean => choiceOf(record, 'state', STATES, 'opened') === 'closed'

const LINK_FIELDS: ColumnMap<LinkRow> = {
  iid: field.exported(),
  link_type: field.choice(['relates_to', 'blocks'], 'relates_to'),
  is_source: field.computed<LinkRow>((row) => row.is_source === 1),
  created_at: field.timeOrNow(),
  updated_at: field.updatedAt(),
}

const FIELDS: ColumnMap<IssueRow> = {
  iid: field.column(iidOf),
  title: field.required(255),
  description: field.text(),
  state: field.choice(STATES, 'opened'),
  author_id: field.person(),
  updated_by_id: field.optionalPerson(),
  confidential: field.flag(),
  closed_at: field.column((record, name, target) => {
    if (!isClosed(record)) return null
    return timeOf(record, name) ?? timeOf(record, 'updated_at') ?? timeOf(record, 'created_at') ?? target.now
  }),
  closed_by_id: field.column((record, name, target) =>
    isClosed(record) ? field.personIn(record, name, target) : null,
  ),
  due_date: field.day(),
  weight: field.integer({ min: 0 }),
  time_estimate: field.integer({ min: 0 }, 0),
  relative_position: field.integer(),
  external_author: field.constant(null),
  last_edited_at: field.time(),
  last_edited_by_id: field.optionalPerson(),
  discussion_locked: field.optionalFlag(),
  health_status: field.column((record, name) => {
    const value = record[name]
    const word = typeof value === 'number' ? HEALTH[value] : value
    return HEALTH.find((candidate) => candidate !== '' && candidate === word) ?? null
  }),
  external_key: field.constant(null),
  issue_type: field.column(typeOf),
  lock_version: field.constant(0),
  project_id: field.exported(),
  severity: {
    write: (row) => row.severity.toLowerCase(),
    read: (record) => ({ severity: severityOf(record) }),
  },
  created_at: field.timeOrNow(),
  updated_at: field.updatedAt(),
  duplicated_to_iid: field.computed<IssueRow>((row, source) => originalOf(source, row)),
  duplicate_iids: field.computed<IssueRow>((row, source) => {
    const iids = duplicatesOf(source, row)
    return iids.length > 0 ? iids : undefined
  }),
  events: sharedFields.events,
  timelogs: sharedFields.timelogs,
  notes: sharedFields.notes,
  ...sharedFields.planning,
  designs: field.constant([]),
  design_versions: field.constant([]),
  issue_assignees: sharedFields.assignees,
  issue_links: field.computed<IssueRow>((row, source) =>
    linksOf(source, row).map((link) => recordOf(LINK_FIELDS, link, source)),
  ),
  zoom_meetings: field.constant([]),
  sentry_issue: field.constant(null),
  award_emoji: sharedFields.award_emoji,
  work_item_type: field.computed<IssueRow>((row) => ({ base_type: row.issue_type })),
}

/** Issues with all their nested records, sorted by their manual position. */
export const issues = relation({
  name: 'issues',
  ownerKinds: ['project'],
  *records(source) {
    for (const row of issuesOf(source)) yield recordOf(FIELDS, row, source)
  },
  count: (source) => countOf(source, 'issues'),
  importRecord: importIssue,
})

function importIssue(record: Fields, target: Target): void {
  const iid = iidOf(record)
  // A repeated import of issues keeps existing ones.
  if (hasIssue(target, iid)) return
  if (target.recall('issue', iid) !== undefined) throw new UnusableRecord('iid has already been taken')
  const project_id = target.owner.id
  const columns = columnsOf(FIELDS, record, target)
  const title = String(columns['title'])
  const id = target.insert('issues', { project_id, ...columns })
  importIssuableParts(record, target, { type: 'Issue', id, iid, title })
  target.remember('issue', iid, id)
  importLinks(record, target, id)
  importDuplicates(record, target, id)
}

/** Links an issue with issues that were imported before it. The records of both issues contain the link. */
function importLinks(record: Fields, target: Target, id: number): void {
  importEach(target, 'issue_links', childrenOf(record, 'issue_links'), (link) => {
    const other = target.recall('issue', iidOf(link))
    if (other === undefined || other === id) return
    const [source_id, target_id] = link['is_source'] === true ? [id, other] : [other, id]
    target.link('issue_links', { source_id, target_id, ...columnsOf(LINK_FIELDS, link, target) })
  })
}

/** Stores which imported issue this one duplicates, and which imported issues duplicate this one. */
function importDuplicates(record: Fields, target: Target, id: number): void {
  const original = record['duplicated_to_iid']
  const existing = typeof original === 'number' ? target.recall('issue', original) : undefined
  if (existing !== undefined && existing !== id) target.update('issues', id, { duplicated_to_id: existing })
  const copies = record['duplicate_iids']
  for (const iid of Array.isArray(copies) ? copies.slice(0, 1000) : []) {
    const copy = typeof iid === 'number' ? target.recall('issue', iid) : undefined
    if (copy !== undefined && copy !== id) target.update('issues', copy, { duplicated_to_id: id })
  }
}

/** The type of an issue. In newer archives, a nested record contains it. An unknown type becomes `issue`. */
function typeOf(record: Fields): string {
  const workItemType = childOf(record, 'work_item_type')
  const fields =
    record['issue_type'] === undefined && workItemType
      ? { issue_type: workItemType['base_type'] ?? null }
      : record
  return choiceOf(fields, 'issue_type', TYPES, 'issue')
}

function severityOf(record: Fields): string {
  const value = childOf(record, 'issuable_severity')?.['severity'] ?? record['severity']
  const word = typeof value === 'string' ? value.toUpperCase() : ''
  return SEVERITIES.includes(word) ? word : 'UNKNOWN'
}
