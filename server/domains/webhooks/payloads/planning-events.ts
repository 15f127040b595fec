import type { PublishedEvent } from '../../../events/publish.ts'
import { type ColumnChanges, joinChanges } from '../../../lib/column-changes.ts'

/** What events about one issue or merge request may say of how it changed. */
export interface PlanningEvent {
  readonly actor_id: number | null
  readonly changes?: ColumnChanges | undefined
  readonly changed?: readonly string[] | undefined
  readonly previous?: { readonly description?: string | null | undefined } | undefined
  readonly added?: readonly number[] | undefined
  readonly removed?: readonly number[] | undefined
}

/** Ids that were given and taken. */
export interface Difference {
  readonly added: readonly number[]
  readonly removed: readonly number[]
}

/** All that one request changed of an issue or merge request. */
export interface PlanChanges {
  readonly columns?: ColumnChanges
  /** The description before; absent where it is the same. */
  readonly description?: string | null
  readonly labels?: Difference
  readonly assignees?: Difference
  readonly reviewers?: Difference
  /** It is new: whatever it has, it did not have before. */
  readonly isNew?: boolean
}

type PublishedPlanning = PublishedEvent<PlanningEvent>

/** The last word of the events of one kind on who or what was given and taken; undefined where there is none. */
function differenceOf(events: readonly PublishedPlanning[], name: string): Difference | undefined {
  const [added, removed] = [new Set<number>(), new Set<number>()]
  for (const { payload } of events.filter((event) => event.name === name)) {
    for (const id of payload.added ?? []) if (!removed.delete(id)) added.add(id)
    for (const id of payload.removed ?? []) if (!added.delete(id)) removed.add(id)
  }
  return added.size + removed.size === 0 ? undefined : { added: [...added], removed: [...removed] }
}

/** What events about one thing, told in this order, come to. */
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

/** Columns that every change writes, and that say nothing by themselves. */
const EVERY = new Set(['updated_at', 'updated_by_id', 'last_edited_at', 'last_edited_by_id'])

/** Whether somebody who looks at it would see a difference; `untold` are columns that are nobody's business. */
export function isVisibleChange(changes: PlanChanges, untold: ReadonlySet<string>): boolean {
  if ('description' in changes || changes.labels || changes.assignees || changes.reviewers) return true
  return Object.keys(changes.columns ?? {}).some((name) => !EVERY.has(name) && !untold.has(name))
}

/** The ids before a change, from those there are now. */
export function idsBefore(now: readonly number[], { added, removed }: Difference): number[] {
  return [...now.filter((id) => !added.includes(id)), ...removed]
}
