import type { Ctx } from '../../../../ctx.ts'
import { tx } from '../../../../db/database.ts'
import { publish } from '../../../../events/publish.ts'
import { ApplicationDeauthorized } from '../events.ts'
import * as store from './store.ts'

/** Revokes all authorizations of the actor for an application. False if there were none. */
export function deauthorizeApplication(ctx: Ctx, application_id: number): boolean {
  const user_id = ctx.actor.id!
  return tx(ctx.db, () => {
    if (!store.deauthorize(ctx.db, user_id, application_id, ctx.now)) return false
    publish(ctx, ApplicationDeauthorized, { application_id, user_id })
    return true
  })
}

/** Revokes a token from the actor's password grant. False if it does not exist. */
export function revokeLooseToken(ctx: Ctx, id: number): boolean {
  const user_id = ctx.actor.id!
  return tx(ctx.db, () => {
    if (!store.revokeLoose(ctx.db, user_id, id, ctx.now)) return false
    publish(ctx, ApplicationDeauthorized, { application_id: null, user_id })
    return true
  })
}
