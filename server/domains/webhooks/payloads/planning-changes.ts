import type { Ctx } from '../../../ctx.ts'
import type { PublishedEvent } from '../../../events/publish.ts'
import { type ColumnChanges, joinChanges } from '../../../lib/column-changes.ts'
import type { Project } from '../../projects/index.ts'
import { type Change, hookTime, labelBlocks, userBlocks, withUploads } from './blocks.ts'

type Format = (value: string | number | boolean | null) => unknown

const unchanged: Format = (value) => value
// Jobs stored by an older version contain 0 and 1.
const isTrue = (value: unknown): boolean => value === true || value === 1
const toBoolean: Format = (value) => (value === null ? null : isTrue(value))
const toTime: Format = (value) => (value === null ? null : hookTime(String(value)))

/** `state_id` of issues and merge requests (spec administration 3.9). */
export const STATE_IDS: Readonly<Record<string, number>> = { opened: 1, closed: 2, merged: 3, locked: 4 }

/** Columns that events contain, with their names and formats. Other columns are internal. */
const VISIBLE_COLUMNS: Readonly<Record<string, readonly [name: string, format: Format]>> = {
  title: ['title', unchanged],
  state: ['state_id', (value) => STATE_IDS[String(value)] ?? null],
  closed_at: ['closed_at', toTime],
  confidential: ['confidential', toBoolean],
  discussion_locked: ['discussion_locked', toBoolean],
  draft: ['draft', toBoolean],
  due_date: ['due_date', unchanged],
  head_pipeline_id: ['head_pipeline_id', unchanged],
  health_status: ['health_status', unchanged],
  issue_type: ['issue_type', unchanged],
  duplicated_to_id: ['duplicated_to_id', unchanged],
  moved_to_id: ['moved_to_id', unchanged],
  milestone_id: ['milestone_id', unchanged],
  merge_commit_sha: ['merge_commit_sha', unchanged],
  merge_error: ['merge_error', unchanged],
  merge_status: ['merge_status', unchanged],
  merge_user_id: ['merge_user_id', unchanged],
  merge_when_pipeline_succeeds: ['merge_when_pipeline_succeeds', toBoolean],
  force_remove_source_branch: ['merge_params', (value) => ({ force_remove_source_branch: isTrue(value) })],
  prepared_at: ['prepared_at', toTime],
  relative_position: ['relative_position', unchanged],
  severity: ['severity', (value) => String(value).toLowerCase()],
  squash: ['squash', toBoolean],
  allow_collaboration: ['allow_collaboration', toBoolean],
  target_branch: ['target_branch', unchanged],
  time_estimate: ['time_estimate', unchanged],
  total_time_spent: ['total_time_spent', unchanged],
  weight: ['weight', unchanged],
  last_edited_at: ['last_edited_at', toTime],
  last_edited_by_id: ['last_edited_by_id', unchanged],
  updated_at: ['updated_at', toTime],
  updated_by_id: ['updated_by_id', unchanged],
}

/** The changed columns that events do not contain. */
export function hiddenColumns(columns: ColumnChanges = {}): ReadonlySet<string> {
  return new Set(Object.keys(columns).filter((name) => !(name in VISIBLE_COLUMNS)))
}

/** The current state: attributes in the event, labels and people. */
export interface CurrentState {
  readonly attributes: Readonly<Record<string, unknown>>
  readonly label_ids: readonly number[]
  readonly assignee_ids: readonly number[]
  readonly reviewer_ids?: readonly number[]
}

/** The attributes of a new issue or merge request in `changes`. */
const ATTRIBUTES_OF_NEW = [
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
export function changesInEvent(
  ctx: Ctx,
  project: Project,
  current: CurrentState,
  changes: PlanningChanges,
): Record<string, Change> {
  return {
    ...(changes.isNew ? changesOfNew(current) : changesOfColumns(changes.columns ?? {})),
    ...timeChange(changes),
    ...('description' in changes && !changes.isNew
      ? {
          description: {
            previous: withUploads(ctx, project, changes.description ?? null),
            current: current.attributes['description'],
          },
        }
      : {}),
    ...listChange(current.label_ids, changes.labels, 'labels', (ids) => labelBlocks(ctx, ids)),
    ...listChange(current.assignee_ids, changes.assignees, 'assignees', (ids) => userBlocks(ctx, ids)),
    ...listChange(current.reviewer_ids ?? [], changes.reviewers, 'reviewers', (ids) => userBlocks(ctx, ids)),
  }
}

function changesOfColumns(columns: ColumnChanges): Record<string, Change> {
  const entries = Object.entries(columns).flatMap(([column, [previous, current]]) => {
    const [name, format] = VISIBLE_COLUMNS[column] ?? []
    return name && format ? [[name, { previous: format(previous), current: format(current) }] as const] : []
  })
  return Object.fromEntries(entries)
}

function changesOfNew({ attributes }: CurrentState): Record<string, Change> {
  const has = (name: string): boolean => Boolean(attributes[name])
  return Object.fromEntries(
    ATTRIBUTES_OF_NEW.filter(has).map((name) => [name, { previous: null, current: attributes[name] }]),
  )
}

/** Added time in seconds. */
export function timeSpent({ columns }: PlanningChanges): number {
  const [before, after] = columns?.['total_time_spent'] ?? [0, 0]
  return Number(after) - Number(before)
}

function timeChange(changes: PlanningChanges): Record<string, Change> {
  const seconds = timeSpent(changes)
  return seconds === 0 ? {} : { time_change: { previous: 0, current: seconds } }
}

function listChange(
  current: readonly number[],
  difference: Difference | undefined,
  name: string,
  format: (ids: readonly number[]) => readonly unknown[],
): Record<string, Change> {
  if (!difference) return {}
  return { [name]: { previous: format(idsBefore(current, difference)), current: format(current) } }
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
export interface PlanningChanges {
  readonly columns?: ColumnChanges
  /** The previous description. Undefined if unchanged. */
  readonly description?: string | null
  readonly labels?: Difference
  readonly assignees?: Difference
  readonly reviewers?: Difference
  /** True if the issue or merge request is new, so that every attribute counts as changed. */
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
export function combineChanges(
  events: readonly PublishedPlanning[],
  { isNew }: { isNew: boolean },
): PlanningChanges {
  const [labels, assignees, reviewers] = [
    differenceOf(events, 'issuable.labels_changed'),
    differenceOf(events, 'issuable.assignees_changed'),
    differenceOf(events, 'merge_request.reviewers_changed'),
  ]
  const descriptionEvent = events.find((event) => event.payload.changed?.includes('description'))
  return {
    columns: joinChanges(events.map((event) => event.payload.changes ?? {})),
    ...(descriptionEvent ? { description: descriptionEvent.payload.previous?.description ?? null } : {}),
    ...(labels ? { labels } : {}),
    ...(assignees ? { assignees } : {}),
    ...(reviewers ? { reviewers } : {}),
    isNew,
  }
}

/** Columns that every update writes. */
const ALWAYS_CHANGED = new Set(['updated_at', 'updated_by_id', 'last_edited_at', 'last_edited_by_id'])

/** True if users can see the change. `hidden` has the names of internal columns. */
export function isVisibleChange(changes: PlanningChanges, hidden: ReadonlySet<string>): boolean {
  if ('description' in changes || changes.labels || changes.assignees || changes.reviewers) return true
  return Object.keys(changes.columns ?? {}).some((name) => !ALWAYS_CHANGED.has(name) && !hidden.has(name))
}

/** Computes the IDs before a change from the current ones. */
export function idsBefore(current: readonly number[], { added, removed }: Difference): number[] {
  return [...current.filter((id) => !added.includes(id)), ...removed]
}
