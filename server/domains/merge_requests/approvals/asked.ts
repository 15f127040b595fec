import type { Ctx } from '../../../ctx.ts'
import { publish } from '../../../events/publish.ts'
import { projectById } from '../../projects/index.ts'
import { ApproversAdded } from '../events.ts'
import { eventOf } from '../service-events.ts'
import type { MergeRequestRow } from '../merge-request.ts'
import { approvalState } from './state.ts'
import { noteAsked } from './store.ts'

/**
 * Tells whose approval is wanted now and was not before. To be called in the transaction of a change; `actorId` is who
 * made it where that was not the actor.
 */
export function askApprovers(
  ctx: Ctx,
  request: MergeRequestRow,
  actorId: number | null = ctx.actor.id,
): void {
  const project = projectById(ctx.db, request.project_id)
  if (!project || request.state !== 'opened') return
  const { rules } = approvalState(ctx, request, project)
  const asking = rules.filter((one) => one.approvals_required > 0)
  const wanted = new Set(asking.flatMap((one) => one.approver_ids))
  const added = noteAsked(ctx.db, request.id, [...wanted])
  if (added.length === 0) return
  publish(ctx, ApproversAdded, { ...eventOf(ctx, request), actor_id: actorId, user_ids: added })
}
