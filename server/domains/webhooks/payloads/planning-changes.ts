import type { Ctx } from '../../../ctx.ts'
import type { PublishedEvent } from '../../../events/publish.ts'
import { type ColumnChanges, joinChanges } from '../../../lib/column-changes.ts'
import type { Project } from '../../projects/index.ts'
import { type Change, hookTime, labelBlocks, userBlocks, withUploads } from './blocks.ts'

type Show = (value: string | number | boolean | null) => unknown

const asIs: Show = (value) => value
// Jobs stored by an older version contain 0 and 1.
const isTrue = (value: unknown): boolean => value === true || value === 1
const flag: Show = (value) => (value === null ? null : isTrue(value))
const moment: Show = (value) => (value === null ? null : hookTime(String(value)))

/** `state_id` of issues and merge requests (spec administration 3.9). */
export const STATE_IDS: Readonly<Record<string, number>> = { opened: 1, closed: 2, merged: 3, locked: 4 }

/** Columns that events show, with their names and formats. Other columns are internal. */
const SHOWN: Readonly<Record<string, readonly [name: string, show: Show]>> = {
  title: ['title', asIs],
  state: ['state_id', (value) => STATE_IDS[String(value)] ?? null],
  closed_at: ['closed_at', moment],
  confidential: ['confidential', flag],
  discussion_locked: ['discussion_locked', flag],
  draft: ['draft', flag],
  due_date: ['due_date', asIs],
  head_pipeline_id: ['head_pipeline_id', asIs],
  health_status: ['health_status', asIs],
  issue_type: ['issue_type', asIs],
  duplicated_to_id: ['duplicated_to_id', asIs],
  moved_to_id: ['moved_to_id', asIs],
  milestone_id: ['milestone_id', asIs],
  merge_commit_sha: ['merge_commit_sha', asIs],
  merge_error: ['merge_error', asIs],
  merge_status: ['merge_status', asIs],
  merge_user_id: ['merge_user_id', asIs],
  merge_when_pipeline_succeeds: ['merge_when_pipeline_succeeds', flag],
  force_remove_source_branch: ['merge_params', (value) => ({ force_remove_source_branch: isTrue(value) })],
  prepared_at: ['prepared_at', moment],
  relative_position: ['relative_position', asIs],
  severity: ['severity', (value) => String(value).toLowerCase()],
  squash: ['squash', flag],
  allow_collaboration: ['allow_collaboration', flag],
  target_branch: ['target_branch', asIs],
  time_estimate: ['time_estimate', asIs],
  total_time_spent: ['total_time_spent', asIs],
  weight: ['weight', asIs],
  last_edited_at: ['last_edited_at', moment],
  last_edited_by_id: ['last_edited_by_id', asIs],
  updated_at: ['updated_at', moment],
  updated_by_id: ['updated_by_id', asIs],
}

/** The changed columns that events do not show. */
export function hiddenColumns(columns: ColumnChanges = {}): ReadonlySet<string> {
  return new Set(Object.keys(columns).filter((name) => !(name in SHOWN)))
}

/** The current state: attributes in the event, labels and people. */
export interface Present {
  readonly attributes: Readonly<Record<string, unknown>>
  readonly label_ids: readonly number[]
  readonly assignee_ids: readonly number[]
  readonly reviewer_ids?: readonly number[]
}

/** The attributes of a new issue or merge request in `changes`. */
const FIRST = [
  'id',
  'iid',
  'author_id',
  'project_id',
  'source_project_id',
  'target_project_id',
  'source_branch',
  'target_branch',
  'title',
  'description',
  'milestone_id',
  'state_id',
  'confidential',
  'discussion_locked',
  'due_date',
  'draft',
  'weight',
  'time_estimate',
  'created_at',
  'updated_at',
]

/** Makes `changes` of an event about an issue or merge request (spec administration 3.8, CH). */
export function shownChanges(
  ctx: Ctx,
  project: Project,
  now: Present,
  changes: PlanChanges,
): Record<string, Change> {
  return {
    ...(changes.isNew ? changesOfNew(now) : shownColumns(changes.columns ?? {})),
    ...timeChange(changes),
    ...('description' in changes && !changes.isNew
      ? {
          description: {
            previous: withUploads(ctx, project, changes.description ?? null),
            current: now.attributes['description'],
          },
        }
      : {}),
    ...lists(now.label_ids, changes.labels, 'labels', (ids) => labelBlocks(ctx, ids)),
    ...lists(now.assignee_ids, changes.assignees, 'assignees', (ids) => userBlocks(ctx, ids)),
    ...lists(now.reviewer_ids ?? [], changes.reviewers, 'reviewers', (ids) => userBlocks(ctx, ids)),
  }
}

function shownColumns(columns: ColumnChanges): Record<string, Change> {
  const entries = Object.entries(columns).flatMap(([column, [previous, current]]) => {
    const [name, show] = SHOWN[column] ?? []
    return name && show ? [[name, { previous: show(previous), current: show(current) }] as const] : []
  })
  return Object.fromEntries(entries)
}

function changesOfNew({ attributes }: Present): Record<string, Change> {
  const has = (name: string): boolean => Boolean(attributes[name])
  return Object.fromEntries(
    FIRST.filter(has).map((name) => [name, { previous: null, current: attributes[name] }]),
  )
}

/** Added time in seconds. */
export function timeSpent({ columns }: PlanChanges): number {
  const [before, after] = columns?.['total_time_spent'] ?? [0, 0]
  return Number(after) - Number(before)
}

function timeChange(changes: PlanChanges): Record<string, Change> {
  const seconds = timeSpent(changes)
  return seconds === 0 ? {} : { time_change: { previous: 0, current: seconds } }
}

function lists(
  now: readonly number[],
  difference: Difference | undefined,
  name: string,
  show: (ids: readonly number[]) => readonly unknown[],
): Record<string, Change> {
  if (!difference) return {}
  return { [name]: { previous: show(idsBefore(now, difference)), current: show(now) } }
}

/** The parts of events that describe changes of an issue or merge request. */
export interface PlanningEvent {
  readonly actor_id: number | null
  readonly changes?: ColumnChanges | undefined
  readonly changed?: readonly string[] | undefined
  readonly previous?: { readonly description?: string | null | undefined } | undefined
  readonly added?: readonly number[] | undefined
  readonly removed?: readonly number[] | undefined
}

/** Added and removed ids. */
export interface Difference {
  readonly added: readonly number[]
  readonly removed: readonly number[]
}

/** All changes that one request made to an issue or merge request. */
export interface PlanChanges {
  readonly columns?: ColumnChanges
  /** The previous description. Undefined if unchanged. */
  readonly description?: string | null
  readonly labels?: Difference
  readonly assignees?: Difference
  readonly reviewers?: Difference
  /** Whether the issue or merge request is new, so that every attribute counts as changed. */
  readonly isNew?: boolean
}

type PublishedPlanning = PublishedEvent<PlanningEvent>

/** Returns the net result of events of one type that add and remove IDs. Undefined for no change. */
function differenceOf(events: readonly PublishedPlanning[], name: string): Difference | undefined {
  const [added, removed] = [new Set<number>(), new Set<number>()]
  for (const { payload } of events.filter((event) => event.name === name)) {
    for (const id of payload.added ?? []) if (!removed.delete(id)) added.add(id)
    for (const id of payload.removed ?? []) if (!added.delete(id)) removed.add(id)
  }
  return added.size + removed.size === 0 ? undefined : { added: [...added], removed: [...removed] }
}

/** Combines the events of one issue or merge request, in their order. */
export function planChanges(
  events: readonly PublishedPlanning[],
  { isNew }: { isNew: boolean },
): PlanChanges {
  const [labels, assignees, reviewers] = [
    differenceOf(events, 'issuable.labels_changed'),
    differenceOf(events, 'issuable.assignees_changed'),
    differenceOf(events, 'merge_request.reviewers_changed'),
  ]
  const rewritten = events.find((event) => event.payload.changed?.includes('description'))
  return {
    columns: joinChanges(events.map((event) => event.payload.changes ?? {})),
    ...(rewritten ? { description: rewritten.payload.previous?.description ?? null } : {}),
    ...(labels ? { labels } : {}),
    ...(assignees ? { assignees } : {}),
    ...(reviewers ? { reviewers } : {}),
    isNew,
  }
}

/** Columns that every change writes. */
const EVERY = new Set(['updated_at', 'updated_by_id', 'last_edited_at', 'last_edited_by_id'])

/** Whether users can see the change. `hidden` are internal columns. */
export function isVisibleChange(changes: PlanChanges, hidden: ReadonlySet<string>): boolean {
  if ('description' in changes || changes.labels || changes.assignees || changes.reviewers) return true
  return Object.keys(changes.columns ?? {}).some((name) => !EVERY.has(name) && !hidden.has(name))
}

/** Computes the IDs before a change from the current ones. */
export function idsBefore(now: readonly number[], { added, removed }: Difference): number[] {
  return [...now.filter((id) => !added.includes(id)), ...removed]
}
