import type { Ctx } from '../../../../ctx.ts'
import { tx } from '../../../../db/database.ts'
import { publish } from '../../../../events/publish.ts'
import { ApplicationDeauthorized } from '../events.ts'
import * as store from './store.ts'

/** Takes back everything that the actor gave to an application; false when there was nothing. */
export function deauthorizeApplication(ctx: Ctx, application_id: number): boolean {
  const user_id = ctx.actor.id!
  return tx(ctx.db, () => {
    if (!store.deauthorize(ctx.db, user_id, application_id, ctx.now)) return false
    publish(ctx, ApplicationDeauthorized, { application_id, user_id })
    return true
  })
}

/** Revokes a token that the actor's password was given for; false when there is none. */
export function revokeLooseToken(ctx: Ctx, id: number): boolean {
  const user_id = ctx.actor.id!
  return tx(ctx.db, () => {
    if (!store.revokeLoose(ctx.db, user_id, id, ctx.now)) return false
    publish(ctx, ApplicationDeauthorized, { application_id: null, user_id })
    return true
  })
}
