import type { Ctx } from '../../ctx.ts'
import { fail, Failure } from '../../lib/fail.ts'
import type { Actor, UserActor } from '../../policy/actor.ts'
import { userById, userByUsername } from '../users/index.ts'
import { checkMayAct } from './account-state.ts'
import { actorOf } from './identity.ts'

const INSUFFICIENT = {
  error: 'insufficient_scope',
  error_description: 'The request requires higher privileges than provided by the access token.',
  scope: 'sudo',
}

/**
 * The user whom an administrator acts as, with that user's rights; the scope `sudo` stands for every other one (spec core
 * 8.4). Throws 401 when nobody asks; 403 for others than administrators, without a token, and for a token without the
 * scope; 404 for an unknown user.
 */
export function actAs(ctx: Ctx, real: Actor, whom: string): UserActor {
  if (real.kind !== 'user') throw fail('unauthorized')
  if (!real.is_admin) throw fail('forbidden', '403 Forbidden - Must be admin to use sudo')
  if (real.via !== 'token' || real.scopes === null) {
    throw fail(
      'forbidden',
      '403 Forbidden - Must be authenticated using an OAuth or Personal Access Token to use sudo',
    )
  }
  if (!real.scopes.has('sudo')) throw new Failure('forbidden', undefined, { body: INSUFFICIENT })
  const user = /^\d{1,15}$/.test(whom) ? userById(ctx.db, Number(whom)) : userByUsername(ctx.db, whom)
  if (!user) throw fail('not_found', `404 User with ID or username '${whom}' Not Found`)
  checkMayAct(ctx, user)
  const { token_id } = real
  return actorOf(
    { ...user, user_id: user.id },
    { scopes: null, via: 'token', sudo_by: real.id, ...(token_id === undefined ? {} : { token_id }) },
  )
}
