import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import { publish } from '../../events/publish.ts'
import { isoDate } from '../../lib/clock.ts'
import { fail, invalid } from '../../lib/fail.ts'
import { userById } from '../users/index.ts'
import { AccessRequestDenied, AccessRequested } from './events.ts'
import * as lists from './store-list.ts'
import type { MemberView } from './store-list.ts'
import type { MemberSource } from './types.ts'
import { addUser, getMember } from './service.ts'
import { sourceIds, type Managed } from './validation.ts'
import * as store from './store.ts'
import type { RequestRow } from './store.ts'

/** The contract writes a small f for a record that an endpoint looks up (spec core 8.3). */
const missing = () => fail('not_found', '404 Not found')

/** Requests access. Throws 403 for members and if requests are disabled, 400 for a second request. */
export function requestAccess(ctx: Ctx, source: MemberSource): RequestRow {
  return tx(ctx.db, () => {
    const userId = ctx.actor.id!
    const is = lists.one(ctx.db, source, { user_id: userId, all: true, today: isoDate(ctx.now) })
    if (is || userId === source.owner_id || !store.takesRequests(ctx.db, source)) throw fail('forbidden')
    if (userById(ctx.db, userId)?.kind !== 'human') throw fail('forbidden')
    if (store.requestOf(ctx.db, source, userId)) throw invalid({ user_id: 'already exists in source' })
    store.insertRequest(ctx.db, source, userId, ctx.now)
    publish(ctx, AccessRequested, { ...sourceIds(source), user_id: userId, actor_id: userId })
    return store.requestOf(ctx.db, source, userId)!
  })
}

/** Approves a request. Throws 404 without a request, 403 above the caller's own level, 400 for invalid levels. */
export function approve(ctx: Ctx, managed: Managed, userId: number, accessLevel: number): MemberView {
  return tx(ctx.db, () => {
    const { source } = managed
    const user = store.requestOf(ctx.db, source, userId) && userById(ctx.db, userId)
    if (!user) throw missing()
    addUser(ctx, managed, user, { access_level: accessLevel })
    return getMember(ctx, source, userId, false)
  })
}

/** Denies a request. Users may withdraw their own request. Throws 404. */
export function deny(ctx: Ctx, source: MemberSource, userId: number): void {
  tx(ctx.db, () => {
    if (!store.endRequest(ctx.db, source, userId)) throw missing()
    publish(ctx, AccessRequestDenied, { ...sourceIds(source), user_id: userId, actor_id: ctx.actor.id })
  })
}
