import {
  childOf,
  childrenOf,
  dayOf,
  flagOf,
  iidOf,
  oneOf,
  requiredText,
  textOf,
  timeOf,
  wholeOf,
} from './checked.ts'
import { assigneeRecords, takeAssignees } from './children/assignees.ts'
import { awardRecords, takeAwards } from './children/award_emoji.ts'
import { eventRecords, takeEvents, thingOf } from './children/feed.ts'
import { duplicatesOf, linkRecords, takeDuplicates, takeLinks } from './children/issue_links.ts'
import { labelLinkRecords, takeLabelLinks } from './children/label_links.ts'
import { milestoneRecord } from './children/milestone.ts'
import { noteRecords, takeNotes } from './children/notes.ts'
import { personOrNone } from './children/people.ts'
import { resourceEventRecords, takeResourceEvents } from './children/resource_events.ts'
import { takeTimelogs, timelogRecords } from './children/timelogs.ts'
import { relation, UnusableRecord, type Fields, type Row, type Source, type Target } from './relation.ts'

interface IssueToWrite {
  readonly id: number
  readonly iid: number
  readonly project_id: number
  readonly author_id: number
  readonly title: string
  readonly description: string | null
  readonly state: string
  readonly issue_type: string
  readonly confidential: boolean
  readonly discussion_locked: boolean | null
  readonly severity: string
  readonly due_date: string | null
  readonly weight: number | null
  readonly health_status: string | null
  readonly milestone_id: number | null
  readonly relative_position: number | null
  readonly time_estimate: number
  readonly closed_at: string | null
  readonly closed_by_id: number | null
  readonly last_edited_at: string | null
  readonly last_edited_by_id: number | null
  readonly updated_by_id: number | null
  readonly created_at: string
  readonly updated_at: string
}

const TYPES = ['issue', 'incident', 'test_case', 'task'] as const

/** Only ids are sorted: whole rows of a hundred thousand issues would have to be put aside for it. */
const IN_ORDER = `
  SELECT i.* FROM (SELECT id FROM issues WHERE project_id = ? ORDER BY relative_position, id LIMIT -1) o
  CROSS JOIN issues i ON i.id = o.id`

/** Issues with everything below them, in the order in which people put them. */
export const issues = relation({
  name: 'issues',
  of: ['project'],
  *records(from) {
    for (const issue of from.db.each<IssueToWrite>(IN_ORDER, from.owner.id)) yield issueRecord(from, issue)
  },
  count: ({ db, owner }) =>
    db.one<{ count: number }>('SELECT count(*) AS count FROM issues WHERE project_id = ?', owner.id)!.count,
  take: takeIssue,
})

function issueRecord(from: Source, issue: IssueToWrite): Fields {
  const { id, milestone_id, ...columns } = issue
  const subject = { type: 'Issue', id } as const
  return {
    iid: columns.iid,
    title: columns.title,
    description: columns.description,
    state: columns.state,
    author_id: columns.author_id,
    updated_by_id: columns.updated_by_id,
    confidential: columns.confidential,
    closed_at: columns.closed_at,
    closed_by_id: columns.closed_by_id,
    due_date: columns.due_date,
    weight: columns.weight,
    time_estimate: columns.time_estimate,
    relative_position: columns.relative_position,
    external_author: null,
    last_edited_at: columns.last_edited_at,
    last_edited_by_id: columns.last_edited_by_id,
    discussion_locked: columns.discussion_locked === null ? null : columns.discussion_locked,
    health_status: columns.health_status,
    external_key: null,
    issue_type: columns.issue_type,
    lock_version: 0,
    project_id: columns.project_id,
    severity: columns.severity.toLowerCase(),
    created_at: columns.created_at,
    updated_at: columns.updated_at,
    ...duplicatesOf(from, issue),
    events: eventRecords(from, subject),
    timelogs: timelogRecords(from, subject),
    notes: noteRecords(from, subject),
    label_links: labelLinkRecords(from, subject),
    milestone: milestoneRecord(from, milestone_id),
    ...resourceEventRecords(from, subject),
    designs: [],
    design_versions: [],
    issue_assignees: assigneeRecords(from, subject),
    issue_links: linkRecords(from, issue),
    zoom_meetings: [],
    sentry_issue: null,
    award_emoji: awardRecords(from, subject),
    work_item_type: { base_type: columns.issue_type },
  }
}

function takeIssue(record: Fields, into: Target): void {
  const iid = iidOf(record)
  const project_id = into.owner.id
  // One that was there before, of an import of issues alone.
  if (into.db.one('SELECT 1 FROM issues WHERE project_id = ? AND iid = ?', project_id, iid)) return
  if (into.recall('issue', iid) !== undefined) throw new UnusableRecord('iid has already been taken')
  const title = requiredText(record, 'title', 255)
  const id = into.insert('issues', { iid, project_id, title, ...columnsOf(record, into) })
  const subject = { type: 'Issue', id, project_id } as const
  takeLabelLinks(childrenOf(record, 'label_links'), into, subject)
  takeAssignees(childrenOf(record, 'issue_assignees'), into, subject)
  takeTimelogs(childrenOf(record, 'timelogs'), into, subject)
  takeNotes(childrenOf(record, 'notes'), into, { ...subject, title })
  takeResourceEvents(record, into, subject)
  takeAwards(childrenOf(record, 'award_emoji'), into, subject)
  takeEvents(childrenOf(record, 'events'), into, subject, thingOf(record, title))
  into.remember('issue', iid, id)
  takeLinks(record, into, id)
  takeDuplicates(record, into, id)
}

function columnsOf(record: Fields, into: Target): Row {
  const created_at = timeOf(record, 'created_at') ?? into.now
  const updated_at = timeOf(record, 'updated_at') ?? created_at
  const state = oneOf(record, 'state', ['opened', 'closed'], 'opened')
  const locked = record['discussion_locked']
  return {
    author_id: into.person(record['author_id']).id,
    description: textOf(record, 'description'),
    state,
    issue_type: typeOf(record),
    confidential: flagOf(record, 'confidential'),
    discussion_locked: typeof locked === 'boolean' ? locked : null,
    severity: severityOf(record),
    due_date: dayOf(record, 'due_date'),
    weight: wholeOf(record, 'weight', { min: 0 }),
    health_status: healthOf(record),
    milestone_id: into.milestone(childOf(record, 'milestone') ?? undefined),
    relative_position: wholeOf(record, 'relative_position'),
    time_estimate: wholeOf(record, 'time_estimate', { min: 0 }) ?? 0,
    closed_at: state === 'closed' ? (timeOf(record, 'closed_at') ?? updated_at) : null,
    closed_by_id: state === 'closed' ? personOrNone(record, 'closed_by_id', into) : null,
    last_edited_at: timeOf(record, 'last_edited_at'),
    last_edited_by_id: personOrNone(record, 'last_edited_by_id', into),
    updated_by_id: personOrNone(record, 'updated_by_id', into),
    created_at,
    updated_at,
  }
}

/** Newer archives say it in a record of its own; a type that is not known here is an issue like any other. */
function typeOf(record: Fields): string {
  const newer = childOf(record, 'work_item_type')
  return oneOf(
    record['issue_type'] === undefined && newer ? { issue_type: newer['base_type'] ?? null } : record,
    'issue_type',
    TYPES,
    'issue',
  )
}

function severityOf(record: Fields): string {
  const given = childOf(record, 'issuable_severity')?.['severity'] ?? record['severity']
  const word = typeof given === 'string' ? given.toUpperCase() : ''
  return ['LOW', 'MEDIUM', 'HIGH', 'CRITICAL'].includes(word) ? word : 'UNKNOWN'
}

const HEALTH = ['', 'on_track', 'needs_attention', 'at_risk'] as const

/** Older archives have a number. */
function healthOf(record: Fields): string | null {
  const given = record['health_status']
  const word = typeof given === 'number' ? HEALTH[given] : given
  return HEALTH.find((one) => one !== '' && one === word) ?? null
}
