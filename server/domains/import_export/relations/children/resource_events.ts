import { childOf, childrenOf, oneOf, shaOf, textOf, timeOf } from '../checked.ts'
import { UnusableRecord, type Fields, type Row, type Source, type Target } from '../relation.ts'
import { labelRecord } from './label_links.ts'
import { milestoneRecord } from './milestone.ts'
import { takeEach } from './part.ts'
import { keyOf, type IssuableSubject } from './subject.ts'

interface LabelEvent {
  readonly action: string
  readonly user_id: number | null
  readonly label_id: number | null
  readonly created_at: string
}

interface MilestoneEvent extends Omit<LabelEvent, 'label_id'> {
  readonly milestone_id: number | null
  readonly state: string
}

const PARTS = ['resource_label_events', 'resource_milestone_events', 'resource_state_events'] as const
/** The three lists of events, by their names in a record. */
export type ResourceEventRecords = Readonly<Record<(typeof PARTS)[number], Fields[]>>

/** What happened to labels, milestone and state of something, each list oldest first. */
export function resourceEventRecords(from: Source, issuable: IssuableSubject): ResourceEventRecords {
  const rows = <Row>(table: string, columns: string): Row[] =>
    from.db.many<Row>(`SELECT ${columns} FROM ${table} WHERE ${keyOf(issuable)} = ? ORDER BY id`, issuable.id)
  const labels = rows<LabelEvent>('resource_label_events', 'action, user_id, label_id, created_at')
  const milestones = rows<MilestoneEvent>(
    'resource_milestone_events',
    'action, state, user_id, milestone_id, created_at',
  )
  return {
    resource_label_events: labels.map(({ label_id, ...event }) => ({
      ...event,
      label: labelRecord(from, label_id),
    })),
    resource_milestone_events: milestones.map(({ milestone_id, ...event }) => ({
      ...event,
      milestone: milestoneRecord(from, milestone_id),
    })),
    resource_state_events: rows<Fields>('resource_state_events', 'user_id, state, created_at, source_commit'),
  }
}

/** Takes over what happened to labels, milestone and state of the thing that a record is about. */
export function takeResourceEvents(record: Fields, into: Target, issuable: IssuableSubject): void {
  for (const part of PARTS) {
    takeEach(into, part, childrenOf(record, part), (event) => {
      const user_id = into.person(event['user_id']).id
      const created_at = timeOf(event, 'created_at') ?? into.now
      into.insert(part, {
        [keyOf(issuable)]: issuable.id,
        user_id,
        created_at,
        ...columnsOf(part, event, into),
      })
    })
  }
}

function columnsOf(part: (typeof PARTS)[number], event: Fields, into: Target): Row {
  if (part === 'resource_state_events')
    return { state: stateOf(event), source_commit: shaOf(event, 'source_commit') }
  const action = actionOf(event)
  if (part === 'resource_label_events')
    return { action, label_id: into.label(childOf(event, 'label') ?? undefined) }
  const milestone_id = into.milestone(childOf(event, 'milestone') ?? undefined)
  return { action, milestone_id, state: textOf(event, 'state', 32) ?? 'opened' }
}

const STATES = ['opened', 'closed', 'merged', 'reopened'] as const

/** Older archives have numbers for states and actions. */
function stateOf(event: Fields): string {
  const given = event['state']
  const word =
    typeof given === 'number' ? ['', 'opened', 'closed', 'merged', 'locked', 'reopened'][given] : given
  const state = oneOf({ state: word ?? null }, 'state', STATES, 'opened')
  if (state !== word) throw new UnusableRecord('state is not included in the list')
  return state
}

function actionOf(event: Fields): 'add' | 'remove' {
  const given = event['action']
  if (given === 'add' || given === 1) return 'add'
  if (given === 'remove' || given === 2) return 'remove'
  throw new UnusableRecord('action is not included in the list')
}
