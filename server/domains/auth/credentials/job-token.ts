import type { Ctx } from '../../../ctx.ts'
import { tokenDigest } from '../../../lib/security/crypto.ts'
import type { UserActor } from '../../../policy/actor.ts'
import { checkMayAct } from './account-state.ts'
import { actorOf } from './identity.ts'
import * as store from '../store.ts'

/**
 * The actor of a CI job token: the user who started the job, while it runs. Undefined for an invalid token. Throws 403 for an
 * account that cannot act. `scopes` limits the token in addition to each endpoint's own limit.
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
