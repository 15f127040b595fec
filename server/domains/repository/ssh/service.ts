import type { Ctx } from '../../../ctx.ts'
import { checkMayAct } from '../../auth/index.ts'
import { deployKeyActor } from '../deploy_keys/keys/service.ts'
import {
  keyUsageProblem,
  sshKeyById,
  type SshKeyView,
  userById,
  recordKeyUse,
  recordActivity,
} from '../../users/index.ts'
import { settingsOf } from '../../settings/index.ts'
import { fail } from '../../../lib/fail.ts'
import type { DeployKeyActor, UserActor } from '../../../policy/actor.ts'

/** Returns true if a key may sign in: it has not expired, and is not only for signatures. */
export function maySignIn(ctx: Ctx, key: SshKeyView): boolean {
  return key.usage_type !== 'signing' && (key.expires_at === null || key.expires_at > ctx.now)
}

/**
 * Returns the owner of a verified key. Called for every command, since a connection may last long. Undefined if the key
 * is deleted or expired; throws 403 for a user who may not act, and for a key type that the settings forbid.
 */
export function actorOfKey(ctx: Ctx, keyId: number): UserActor | DeployKeyActor | undefined {
  const key = sshKeyById(ctx.db, keyId)
  if (!key || !maySignIn(ctx, key)) return undefined
  const problem = ctx.db.remember(`ssh-key-problem:${keyId}`, () => keyUsageProblem(settingsOf(ctx), key.key))
  if (problem !== undefined) throw fail('forbidden', `403 Forbidden - Your SSH key ${problem}.`)
  recordKeyUse(ctx, keyId)
  if (key.user_id === null) return deployKeyActor(ctx, key)
  const user = userById(ctx.db, key.user_id)
  if (!user) return undefined
  checkMayAct(ctx, user)
  recordActivity(ctx, user.id)
  return {
    kind: 'user',
    id: user.id,
    username: user.username,
    name: user.name,
    email: user.email,
    is_admin: user.is_admin,
    external: user.external,
    scopes: null,
    via: 'key',
  }
}
