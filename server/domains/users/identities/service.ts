import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { invalid, notFound } from '../../../lib/fail.ts'
import { UserUpdated } from '../events.ts'
import * as store from './store.ts'

/** An account at a sign-in provider. */
export interface GivenIdentity {
  readonly provider: string
  readonly extern_uid: string
}

/** Throws 400 when the account at the provider belongs to somebody else. Inside the transaction that takes it. */
export function setIdentity(ctx: Ctx, userId: number, { provider, extern_uid }: GivenIdentity): void {
  const owner = store.ownerOf(ctx.db, provider, extern_uid)
  if (owner !== undefined && owner !== userId)
    throw invalid({ 'identities.extern_uid': 'has already been taken' })
  store.put(ctx.db, { user_id: userId, provider, extern_uid }, ctx.now)
}

/** Takes the account at a provider away. Throws `404 Identity Not Found`. */
export function removeIdentity(ctx: Ctx, userId: number, provider: string): void {
  tx(ctx.db, () => {
    if (!store.remove(ctx.db, userId, provider)) throw notFound('Identity')
    publish(ctx, UserUpdated, { user_id: userId, actor_id: ctx.actor.id, changed: ['identities'] })
  })
}
