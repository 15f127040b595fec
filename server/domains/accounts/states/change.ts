import type { Ctx } from '../../../ctx.ts'
import { type UserRow, updateUser } from '../../users/index.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { removeSessionsOf } from '../../auth/index.ts'
import { UserStateChanged } from '../../users/events.ts'

/** States of an account (spec core 0.1). */
export type State =
  | 'active'
  | 'blocked'
  | 'deactivated'
  | 'banned'
  | 'blocked_pending_approval'
  | 'ldap_blocked'

/** Changes the state of an account. For a state other than `active`, all sessions of the user end. */
export function changeState(ctx: Ctx, user: UserRow, to: State): UserRow {
  return tx(ctx.db, () => {
    const changed = updateUser(ctx.db, user.id, { state: to, updated_at: ctx.now })
    if (to !== 'active') removeSessionsOf(ctx.db, user.id, 0)
    publish(ctx, UserStateChanged, { user_id: user.id, actor_id: ctx.actor.id, from: user.state, to })
    return changed
  })
}
