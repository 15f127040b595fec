import type { Ctx } from '../../../ctx.ts'
import type { DeployKeyActor } from '../../../policy/actor.ts'
import type { SshKeyRow } from '../../users/index.ts'

/** The actor of a deploy key that was proved over SSH; undefined when it has ended, or is no deploy key. */
export function deployKeyActor(
  ctx: Pick<Ctx, 'now'>,
  key: Pick<SshKeyRow, 'id' | 'is_deploy_key' | 'created_by_id' | 'expires_at'>,
): DeployKeyActor | undefined {
  if (!key.is_deploy_key || (key.expires_at !== null && key.expires_at <= ctx.now)) return undefined
  return {
    kind: 'deploy_key',
    id: key.created_by_id,
    key_id: key.id,
    is_admin: false,
    external: true,
    scopes: null,
  }
}
