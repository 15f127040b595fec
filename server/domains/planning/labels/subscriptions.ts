import type { Ctx } from '../../../ctx.ts'
import { jsonList } from '../../../db/database.ts'
import { Failure } from '../../../lib/fail.ts'
import type { LabelRow } from './label.ts'
import type { LabelOwner } from './owner.ts'

/** A group's label is subscribed to in the project where that was asked, or in the group itself. */
function placeOf(owner: LabelOwner, label: LabelRow): number | null {
  return owner.kind === 'project' && label.group_id !== null ? owner.id : null
}

/** Those of some labels that the actor has subscribed to, as seen from a project or group. */
export function subscribedIn(ctx: Ctx, owner: LabelOwner, labels: readonly LabelRow[]): Set<number> {
  if (ctx.actor.kind !== 'user') return new Set()
  const rows = ctx.db.many<{ id: number; project_id: number | null }>(
    `SELECT subscribable_id AS id, project_id FROM subscriptions
     WHERE subscribable_type = 'Label' AND subscribable_id IN (SELECT value FROM json_each(?))
       AND user_id = ? AND subscribed = 1`,
    jsonList(labels.map((label) => label.id)),
    ctx.actor.id,
  )
  const given = new Set(rows.map((row) => `${row.id}:${row.project_id}`))
  return new Set(
    labels.filter((label) => given.has(`${label.id}:${placeOf(owner, label)}`)).map((label) => label.id),
  )
}

/** Begins or ends the actor's subscription. Answers 304 when that is how it is already. */
export function setSubscribed(ctx: Ctx, owner: LabelOwner, label: LabelRow, wanted: boolean): void {
  if (subscribedIn(ctx, owner, [label]).has(label.id) === wanted) throw new Failure('not_modified')
  ctx.db.exec(
    `INSERT INTO subscriptions (user_id, subscribable_type, subscribable_id, project_id, subscribed, created_at, updated_at)
     VALUES (?, 'Label', ?, ?, ?, ?, ?)
     ON CONFLICT (subscribable_type, subscribable_id, user_id, ifnull(project_id, 0))
     DO UPDATE SET subscribed = excluded.subscribed, updated_at = excluded.updated_at`,
    ctx.actor.id,
    label.id,
    placeOf(owner, label),
    wanted,
    ctx.now,
    ctx.now,
  )
}
