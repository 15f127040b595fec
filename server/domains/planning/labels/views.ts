import type { Ctx } from '../../../ctx.ts'
import { countsOf } from './counts.ts'
import type { LabelView } from './entity.ts'
import type { LabelRow } from './label.ts'
import type { LabelOwner } from './owner.ts'
import * as store from './store.ts'
import { subscribedIn } from './subscriptions.ts'

/** Labels as a project or group shows them. */
export function viewsOf(
  ctx: Ctx,
  owner: LabelOwner,
  labels: readonly LabelRow[],
  withCounts = false,
): LabelView[] {
  const ids = labels.map((label) => label.id)
  const subscribed = subscribedIn(ctx, owner, labels)
  const counts = withCounts ? countsOf(ctx.db, ctx, owner, ids) : undefined
  const priorities = owner.kind === 'project' ? store.priorities(ctx.db, owner.id, ids) : undefined
  return labels.map((label) => ({
    label,
    counts: counts?.get(label.id),
    subscribed: subscribed.has(label.id),
    ...(priorities ? { priority: priorities.get(label.id) ?? null } : {}),
  }))
}
