import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import { publish } from '../../events/publish.ts'
import { fail } from '../../lib/fail.ts'
import { UserStateChanged } from '../users/events.ts'
import { updateUser, type UserRow } from '../users/index.ts'
import { checkState } from './account-state.ts'
import { awaitsConfirmation } from './confirmation.ts'
import { SignInRefused } from './events.ts'
import { userByPassword } from './passwords.ts'
import { guarded, type Asking } from './throttle.ts'

/**
 * The user who signs in to the window; a deactivated account becomes active again by it. Throws 401 for a wrong login or
 * password, 403 for an account that may not sign in, 429 for an address with too many failures.
 */
export async function personSigningIn(
  ctx: Ctx,
  from: Asking,
  shown: { login: string; password: string },
): Promise<UserRow> {
  const user = await guarded(ctx, from, async () => {
    const found = await userByPassword(ctx, { ...shown, ip: from.ip })
    if (!found) throw fail('unauthorized', 'Invalid login or password.')
    return found
  })
  if (user.state === 'deactivated') return reactivate(ctx, user)
  refuseBarred(ctx, user)
  if (awaitsConfirmation(ctx, user))
    throw fail('forbidden', '403 Forbidden - You have to confirm your email address before continuing.')
  return user
}

/** A blocked account that tries to sign in with the right password is something to tell (spec administration 3.10). */
function refuseBarred(ctx: Ctx, user: UserRow): void {
  try {
    checkState(ctx, user)
  } catch (error) {
    tx(ctx.db, () => publish(ctx, SignInRefused, { user_id: user.id, state: user.state }))
    throw error
  }
}

function reactivate(ctx: Ctx, { id, state }: UserRow): UserRow {
  return tx(ctx.db, () => {
    const user = updateUser(ctx.db, id, { state: 'active', updated_at: ctx.now })
    publish(ctx, UserStateChanged, { user_id: id, from: state, to: 'active', actor_id: id })
    return user
  })
}
