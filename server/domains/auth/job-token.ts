import type { Ctx } from '../../ctx.ts'
import { tokenDigest } from '../../lib/security/crypto.ts'
import type { UserActor } from '../../policy/actor.ts'
import { checkMayAct } from './account-state.ts'
import { actorOf } from './identity.ts'
import * as store from './store.ts'

/**
 * The actor of a CI job token: the user who started the job, for as long as it runs. Undefined for a token that does not
 * hold; throws 403 for an account that may not act. `scopes` limits what it is good for beyond what an endpoint says.
 */
export function actorOfJobToken(
  ctx: Ctx,
  token: string,
  scopes: ReadonlySet<string> | null = null,
): UserActor | undefined {
  const found = store.jobIdentity(ctx.db, tokenDigest(token))
  if (!found) return undefined
  checkMayAct(ctx, found)
  const job = { id: found.job_id, project_id: found.project_id, isConfined: found.is_confined }
  return { ...actorOf(found, { scopes, via: 'job' }), job }
}
