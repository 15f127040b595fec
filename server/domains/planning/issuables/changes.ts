import type { Ctx } from '../../../ctx.ts'
import { jsonList } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { columnChanges, type ColumnChanges } from '../../../lib/column-changes.ts'
import { writeSystemNote } from '../../discussions/index.ts'
import { usersById } from '../../users/index.ts'
import { AssigneesChanged, LabelsChanged, MilestoneChanged } from './events.ts'
import { noteableOf, tablesOf, type Issuable } from './issuable.ts'
import { assigneeIdsOf, labelIdsOf } from './reads.ts'

/*
 * Changes that issues and merge requests share. Each is called in the caller's transaction, does nothing when nothing
 * changes, and writes what belongs to it: the event of the resource or the line in the conversation, and the event.
 */

/** What was given and what was taken. */
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

/** What events about an issue or merge request always say. */
export function eventOf(ctx: Ctx, { kind, id, iid, project_id }: Issuable) {
  return { kind, id, iid, project_id, actor_id: ctx.actor.id }
}

/** Says that the actor changed something about it now. */
export function touch(ctx: Ctx, { kind, id }: Pick<Issuable, 'kind' | 'id'>): ColumnChanges {
  const { table } = tablesOf(kind)
  const before = ctx.db.one<object>(`SELECT updated_at, updated_by_id FROM ${table} WHERE id = ?`, id)!
  const after = { updated_at: ctx.now, updated_by_id: ctx.actor.id }
  ctx.db.exec(`UPDATE ${table} SET updated_at = ?, updated_by_id = ? WHERE id = ?`, ctx.now, ctx.actor.id, id)
  return columnChanges(before, after)
}

/** Gives it exactly these labels, by id. */
export function setLabels(ctx: Ctx, issuable: Issuable, ids: readonly number[]): Difference {
  const { labels, key } = tablesOf(issuable.kind)
  const change = differenceOf(labelIdsOf(ctx.db, issuable.kind, issuable.id), ids)
  if (isEmpty(change)) return change
  ctx.db.exec(
    `DELETE FROM ${labels} WHERE ${key} = ? AND label_id IN (SELECT value FROM json_each(?))`,
    issuable.id,
    jsonList(change.removed),
  )
  ctx.db.exec(
    `INSERT INTO ${labels} (${key}, label_id) SELECT ?, value FROM json_each(?)`,
    issuable.id,
    jsonList(change.added),
  )
  for (const action of ['add', 'remove'] as const) {
    ctx.db.exec(
      `INSERT INTO resource_label_events (${key}, user_id, label_id, action, created_at)
       SELECT ?, ?, value, ?, ? FROM json_each(?)`,
      issuable.id,
      ctx.actor.id,
      action,
      ctx.now,
      jsonList(action === 'add' ? change.added : change.removed),
    )
  }
  publish(ctx, LabelsChanged, { ...eventOf(ctx, issuable), ...change, changes: touch(ctx, issuable) })
  return change
}

/** Assigns it to exactly these users, by id. */
export function setAssignees(ctx: Ctx, issuable: Issuable, ids: readonly number[]): Difference {
  const { assignees, key } = tablesOf(issuable.kind)
  const change = differenceOf(assigneeIdsOf(ctx.db, issuable.kind, issuable.id), ids)
  if (isEmpty(change)) return change
  ctx.db.exec(
    `DELETE FROM ${assignees} WHERE ${key} = ? AND user_id IN (SELECT value FROM json_each(?))`,
    issuable.id,
    jsonList(change.removed),
  )
  ctx.db.exec(
    `INSERT INTO ${assignees} (${key}, user_id) SELECT ?, value FROM json_each(?)`,
    issuable.id,
    jsonList(change.added),
  )
  const body = peopleSentence(ctx, change, ['assigned to', 'unassigned'])
  writeSystemNote(ctx, noteableOf(issuable), { action: 'assignee', body })
  publish(ctx, AssigneesChanged, { ...eventOf(ctx, issuable), ...change, changes: touch(ctx, issuable) })
  return change
}

/** `assigned to @a and @b and unassigned @c`, with the words for the two directions. */
export function peopleSentence(
  ctx: Ctx,
  { added, removed }: Difference,
  [given, taken]: readonly [string, string],
): string {
  const people = usersById(ctx.db, [...added, ...removed])
  const names = (ids: readonly number[]) => inWords(ids.map((id) => `@${people.get(id)?.username ?? id}`))
  const parts = [
    ...(added.length > 0 ? [`${given} ${names(added)}`] : []),
    ...(removed.length > 0 ? [`${taken} ${names(removed)}`] : []),
  ]
  return parts.join(' and ')
}

/** `a, b, and c`. */
export function inWords(words: readonly string[]): string {
  if (words.length < 3) return words.join(' and ')
  return `${words.slice(0, -1).join(', ')}, and ${words.at(-1)}`
}

/** Puts it into a milestone, or takes it out of its milestone with null. */
export function setMilestone(ctx: Ctx, issuable: Issuable, id: number | null): void {
  const { table, key } = tablesOf(issuable.kind)
  const { milestone_id: from, state } = ctx.db.one<{ milestone_id: number | null; state: string }>(
    `SELECT milestone_id, state FROM ${table} WHERE id = ?`,
    issuable.id,
  )!
  if (from === id) return
  ctx.db.exec(`UPDATE ${table} SET milestone_id = ? WHERE id = ?`, id, issuable.id)
  ctx.db.exec(
    `INSERT INTO resource_milestone_events (${key}, user_id, milestone_id, action, state, created_at)
     VALUES (?, ?, ?, ?, ?, ?)`,
    issuable.id,
    ctx.actor.id,
    id ?? from,
    id === null ? 'remove' : 'add',
    state,
    ctx.now,
  )
  const changes: ColumnChanges = { milestone_id: [from, id], ...touch(ctx, issuable) }
  publish(ctx, MilestoneChanged, { ...eventOf(ctx, issuable), from, to: id, changes })
}

/** What closed something. */
export interface StateSource {
  readonly commit_id?: string | null | undefined
  readonly merge_request_id?: number | null | undefined
}

/** Writes down that its state changed; the row is the caller's to change. */
export function recordState(
  ctx: Ctx,
  issuable: Issuable,
  state: 'closed' | 'reopened' | 'merged',
  source: StateSource = {},
): void {
  ctx.db.exec(
    `INSERT INTO resource_state_events (${tablesOf(issuable.kind).key}, user_id, state, source_commit,
       source_merge_request_id, created_at) VALUES (?, ?, ?, ?, ?, ?)`,
    issuable.id,
    ctx.actor.id,
    state,
    source.commit_id ?? null,
    source.merge_request_id ?? null,
    ctx.now,
  )
}
