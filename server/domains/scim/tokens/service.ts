import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { tokenDigest } from '../../../lib/security/crypto.ts'
import { notFound } from '../../../lib/fail.ts'
import { ScimTokenChanged } from '../events.ts'
import * as store from './store.ts'
import type { ScimTokenRow } from './store.ts'
import { drawToken } from './text.ts'

/** A token just made: the only time that its text is known. */
export interface NewScimToken {
  readonly row: ScimTokenRow
  readonly token: string
}

/** The token of a group or of the instance (null), if it was made. */
export function tokenOf(ctx: Pick<Ctx, 'db'>, groupId: number | null): ScimTokenRow | undefined {
  return store.ofPlace(ctx.db, groupId)
}

/** Makes the token of a group or of the instance (null); one that was there before no longer holds. */
export function makeToken(ctx: Ctx, groupId: number | null): NewScimToken {
  const token = drawToken(ctx)
  return tx(ctx.db, () => {
    const before = store.ofPlace(ctx.db, groupId)
    if (before) store.remove(ctx.db, before.id)
    const row = store.insert(ctx.db, {
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

/** Takes the token away; what was provided stays. Throws 404 where there is none. */
export function revokeToken(ctx: Ctx, groupId: number | null): void {
  tx(ctx.db, () => {
    const row = store.ofPlace(ctx.db, groupId)
    if (!row) throw notFound()
    store.remove(ctx.db, row.id)
    publish(ctx, ScimTokenChanged, { group_id: groupId, actor_id: ctx.actor.id, action: 'revoked' })
  })
}
