import type { Ctx } from '../../../ctx.ts'
import { publish } from '../../../events/publish.ts'
import { columnChanges, type ColumnChanges } from '../../../lib/column-changes.ts'
import { writeSystemNote } from '../../discussions/index.ts'
import { usersById } from '../../users/index.ts'
import { AssigneesChanged, LabelsChanged, MilestoneChanged } from '../events.ts'
import { noteableOf, type Issuable } from './issuable.ts'
import { assigneeIdsOf, labelIdsOf } from './store.ts'
import * as store from './store-changes.ts'

/*
 * Changes that issues and merge requests share. Each runs in the caller's transaction and returns early when nothing
 * changes. It writes the resource event or the system note, and publishes the event.
 */

/** The IDs that were added and removed. */
export interface Difference {
  readonly added: number[]
  readonly removed: number[]
}

function differenceOf(before: readonly number[], after: readonly number[]): Difference {
  return {
    added: [...new Set(after)].filter((id) => !before.includes(id)),
    removed: before.filter((id) => !after.includes(id)),
  }
}

const isEmpty = ({ added, removed }: Difference): boolean => added.length + removed.length === 0

const changeBy = (ctx: Ctx) => ({ user_id: ctx.actor.id, at: ctx.now })

/** The fields of every event about an issue or merge request. */
export function eventFields(ctx: Ctx, { kind, id, iid, project_id }: Issuable) {
  return { kind, id, iid, project_id, actor_id: ctx.actor.id }
}

/** Records the actor and the time of the last update. */
export function touch(ctx: Ctx, issuable: Pick<Issuable, 'kind' | 'id'>): ColumnChanges {
  const before = store.touchRow(ctx.db, issuable, changeBy(ctx))
  return columnChanges(before, { updated_at: ctx.now, updated_by_id: ctx.actor.id })
}

/** Replaces the labels. */
export function setLabels(ctx: Ctx, issuable: Issuable, ids: readonly number[]): Difference {
  const change = differenceOf(labelIdsOf(ctx.db, issuable.kind, issuable.id), ids)
  if (isEmpty(change)) return change
  store.changeLabels(ctx.db, issuable, change)
  store.recordLabels(ctx.db, issuable, 'add', change.added, changeBy(ctx))
  store.recordLabels(ctx.db, issuable, 'remove', change.removed, changeBy(ctx))
  publish(ctx, LabelsChanged, { ...eventFields(ctx, issuable), ...change, changes: touch(ctx, issuable) })
  return change
}

/** Replaces the assignees. */
export function setAssignees(ctx: Ctx, issuable: Issuable, ids: readonly number[]): Difference {
  const change = differenceOf(assigneeIdsOf(ctx.db, issuable.kind, issuable.id), ids)
  if (isEmpty(change)) return change
  store.changeAssignees(ctx.db, issuable, change)
  const body = peopleSentence(ctx, change, ['assigned to', 'unassigned'])
  writeSystemNote(ctx, noteableOf(issuable), { action: 'assignee', body })
  publish(ctx, AssigneesChanged, { ...eventFields(ctx, issuable), ...change, changes: touch(ctx, issuable) })
  return change
}

/**
 * Returns a sentence such as `assigned to @a and @b and unassigned @c`. The two texts are the words before the added and
 * the removed users.
 */
export function peopleSentence(
  ctx: Ctx,
  { added, removed }: Difference,
  [addedWords, removedWords]: readonly [string, string],
): string {
  const people = usersById(ctx.db, [...added, ...removed])
  const names = (ids: readonly number[]) => joinNames(ids.map((id) => `@${people.get(id)?.username ?? id}`))
  const parts = [
    ...(added.length > 0 ? [`${addedWords} ${names(added)}`] : []),
    ...(removed.length > 0 ? [`${removedWords} ${names(removed)}`] : []),
  ]
  return parts.join(' and ')
}

/** Joins words to `a`, `a and b`, or `a, b, and c`. */
export function joinNames(words: readonly string[]): string {
  if (words.length < 3) return words.join(' and ')
  return `${words.slice(0, -1).join(', ')}, and ${words.at(-1)}`
}

/** Sets the milestone, or removes it with null. */
export function setMilestone(ctx: Ctx, issuable: Issuable, id: number | null): void {
  const { milestone_id: from, state } = store.milestoneOf(ctx.db, issuable)
  if (from === id) return
  store.changeMilestone(ctx.db, issuable, { from, to: id, state }, changeBy(ctx))
  const changes: ColumnChanges = { milestone_id: [from, id], ...touch(ctx, issuable) }
  publish(ctx, MilestoneChanged, { ...eventFields(ctx, issuable), from, to: id, changes })
}

/** Records a change of the state as a resource event. The caller updates the state in the row. */
export function recordState(
  ctx: Ctx,
  issuable: Issuable,
  state: 'closed' | 'reopened' | 'merged',
  source: store.StateSource = {},
): void {
  store.insertStateEvent(ctx.db, issuable, state, source, changeBy(ctx))
}
