import type { Ctx } from '../../ctx.ts'
import { isoDate } from '../../lib/clock.ts'
import { Failure, fail } from '../../lib/fail.ts'
import { GUEST } from '../../policy/levels.ts'
import { changeState } from '../accounts/index.ts'
import type { Group } from '../groups/index.ts'
import { groupPlace, insertMember, removeMember } from '../members/index.ts'
import { isLastAdmin, userOf } from '../users/index.ts'
import { SHUT } from './active.ts'
import type { ScimPlace } from './place.ts'
import * as store from './store.ts'
import type { ScimUserRow } from './store.ts'

/** Gives a user the group's least role, or their account back. Inside the caller's transaction. */
export function letIn(ctx: Ctx, place: ScimPlace, userId: number): void {
  const { group } = place
  if (!group) {
    const user = userOf(ctx, userId)
    if (user.state === 'blocked') changeState(ctx, user, 'active')
    return
  }
  if (!store.isMember(ctx.db, group.id, userId, isoDate(ctx.now)))
    insertMember(ctx, groupPlace(group), userId, { access_level: GUEST, created_by_id: null })
}

/**
 * Takes the membership of the group and of what is below it, or blocks the account. Throws 412 for the last owner and the
 * last administrator. Inside the caller's transaction.
 */
export function shutOut(ctx: Ctx, place: ScimPlace, row: ScimUserRow): void {
  if (place.group) return leaveGroup(ctx, place.group, row)
  const user = userOf(ctx, row.user_id)
  if (isLastAdmin(ctx.db, user) || user.kind !== 'human')
    throw fail('precondition_failed', `Could not block ${user.name}.`)
  if (!SHUT.has(user.state)) changeState(ctx, user, 'blocked')
}

function leaveGroup(ctx: Ctx, group: Group, { user_id, name }: ScimUserRow): void {
  if (!store.isMember(ctx.db, group.id, user_id, isoDate(ctx.now))) return
  const managed = { place: groupPlace(group), level: Infinity }
  try {
    removeMember(ctx, managed, user_id, { keepBelow: false, unassign: false, check: () => undefined })
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'forbidden') throw error
    const sentence = `Could not remove ${name} from ${group.name}. Cannot remove last group owner.`
    throw fail('precondition_failed', sentence)
  }
}
