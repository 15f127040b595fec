import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { fail } from '../../../lib/fail.ts'
import { UserStateChanged } from '../../users/events.ts'
import { updateUser, type UserRow } from '../../users/index.ts'
import { checkState } from '../credentials/account-state.ts'
import { awaitsConfirmation } from './confirmation.ts'
import { SignInRefused } from '../events.ts'
import { userByPassword } from './passwords.ts'
import { guarded, type Asking } from '../credentials/throttle.ts'

/**
 * Returns the user who signs in to the window. A deactivated account becomes active. Throws 401 for a wrong login or password,
 * 403 for an account that cannot sign in, 429 for an IP address with too many failures.
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

/** Publishes that a blocked user tried to sign in with the right password (spec administration 3.10). */
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
