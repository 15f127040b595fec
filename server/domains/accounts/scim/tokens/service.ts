import type { Ctx } from '../../../../ctx.ts'
import { tx } from '../../../../db/database.ts'
import { publish } from '../../../../events/publish.ts'
import { SCIM_TOKEN_PREFIX } from '../../../../lib/aliases.ts'
import { tokenDigest } from '../../../../lib/security/crypto.ts'
import { notFound } from '../../../../lib/fail.ts'
import { ScimTokenChanged } from '../../events.ts'
import * as store from '../store.ts'
import type { ScimTokenRow } from '../store.ts'

/** A new token with its plain text. The database has only a digest of it. */
export interface NewScimToken {
  readonly row: ScimTokenRow
  readonly token: string
}

/** Returns the token of a group or of the instance (null); undefined without one. */
export function tokenOf(ctx: Pick<Ctx, 'db'>, groupId: number | null): ScimTokenRow | undefined {
  return store.tokenOf(ctx.db, groupId)
}

/** Creates the token of a group or of the instance (null). An earlier token becomes invalid. */
export function createScimToken(ctx: Ctx, groupId: number | null): NewScimToken {
  const token = generateToken(ctx)
  return tx(ctx.db, () => {
    const before = store.tokenOf(ctx.db, groupId)
    if (before) store.removeToken(ctx.db, before.id)
    const row = store.insertToken(ctx.db, {
      group_id: groupId,
      token_digest: tokenDigest(token),
      created_by_id: ctx.actor.id,
      last_used_at: null,
      created_at: ctx.now,
    })
    const action = before ? 'reset' : 'created'
    publish(ctx, ScimTokenChanged, { group_id: groupId, actor_id: ctx.actor.id, action })
    return { row, token }
  })
}

/** Deletes the token of a group or of the instance (null). Provisioned users stay. Throws 404 without a token. */
export function revokeToken(ctx: Ctx, groupId: number | null): void {
  tx(ctx.db, () => {
    const row = store.tokenOf(ctx.db, groupId)
    if (!row) throw notFound()
    store.removeToken(ctx.db, row.id)
    publish(ctx, ScimTokenChanged, { group_id: groupId, actor_id: ctx.actor.id, action: 'revoked' })
  })
}

/** Generates the plain text of a new token. */
function generateToken(ctx: Pick<Ctx, 'random'>): string {
  return SCIM_TOKEN_PREFIX + ctx.random.token(20)
}
