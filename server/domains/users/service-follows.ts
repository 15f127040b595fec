import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import { publish } from '../../events/publish.ts'
import { fail, notFound } from '../../lib/fail.ts'
import { UserFollowed, UserUnfollowed } from './events.ts'
import { userOf } from './service.ts'
import * as store from './store-details.ts'
import type { UserRow } from './store.ts'

/** The maximum number of users that a user may follow. */
const MAX_FOLLOWED = 300

/** Follows a user. Throws 304 if the actor already follows them, 400 for the actor and above the limit. */
export function follow(ctx: Ctx, userId: number): UserRow {
  const follower_id = ctx.actor.id!
  return tx(ctx.db, () => {
    const user = userOf(ctx, userId)
    if (user.id === follower_id) throw fail('bad_request', "You can't follow yourself")
    if (store.countFollowed(ctx.db, follower_id) >= MAX_FOLLOWED) {
      throw fail(
        'bad_request',
        `You can't follow more than ${MAX_FOLLOWED} users. To follow more users, unfollow some others.`,
      )
    }
    if (!store.add(ctx.db, follower_id, user.id, ctx.now)) throw fail('not_modified')
    publish(ctx, UserFollowed, { user_id: user.id, actor_id: follower_id })
    return user
  })
}

/** Unfollows a user. Throws 304 if the actor does not follow them. */
export function unfollow(ctx: Ctx, userId: number): UserRow {
  return tx(ctx.db, () => {
    const user = userOf(ctx, userId)
    if (!store.remove(ctx.db, ctx.actor.id!, user.id)) throw fail('not_modified')
    publish(ctx, UserUnfollowed, { user_id: user.id, actor_id: ctx.actor.id })
    return user
  })
}

/** Returns a user if the actor may see the followers. Throws 403 for anonymous callers, 404 for a private profile. */
export function visibleProfile(ctx: Ctx, userId: number): UserRow {
  if (ctx.actor.kind === 'anonymous') throw fail('forbidden', '403 Forbidden - Not authorized!')
  const user = userOf(ctx, userId)
  const isHidden = user.private_profile && user.id !== ctx.actor.id && !ctx.actor.is_admin
  if (isHidden) throw notFound('User')
  return user
}
