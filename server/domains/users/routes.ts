import type { Ctx } from '../../ctx.ts'
import { allOrNone, endpoint } from '../../http/endpoint.ts'
import { as, oneOf } from '../../http/entity.ts'
import { day, int, text } from '../../http/params.ts'
import { ok, page } from '../../http/returns.ts'
import { addDays, isoDate } from '../../lib/clock.ts'
import { fail, notFound } from '../../lib/fail.ts'
import { isListed } from '../../policy/actor.ts'
import { ofMany as customAttributesOf } from './custom_attributes/store.ts'
import { userAttributeRoutes } from './custom_attributes/routes.ts'
import { withAttributesParam } from './custom_attributes/params.ts'
import { settingsOf } from '../settings/index.ts'
import { listActivities } from './activities.ts'
import { avatarOf } from './avatar.ts'
import { withDetails, type UserDetailRow } from './details.ts'
import { Avatar, User, UserActivity, UserDetailsWithAdmin, UserPublic, UserWithAdmin } from './entity.ts'
import { listParams, showUsers, userPage } from './list-params.ts'
import { suggesting } from './search-limit.ts'
import * as store from './store.ts'

function detailsOf(ctx: Ctx, row: store.UserRow): UserDetailRow {
  return withDetails(ctx.db, [row], ctx.actor.id)[0]!
}

export const getCurrentUser = endpoint('GET /user', {
  summary: 'Get the signed-in user',
  can: 'signed_in',
  token: ['read_user'],
  returns: ok(oneOf(UserPublic, UserWithAdmin)),
  run: (ctx) => {
    const row = detailsOf(ctx, store.byId(ctx.db, ctx.actor.id!)!)
    return row.is_admin ? as(UserWithAdmin, row) : as(UserPublic, row)
  },
})

export const listUsers = endpoint('GET /users', {
  summary: 'List users',
  can: 'anyone',
  token: ['read_user'],
  params: listParams,
  together: [allOrNone('extern_uid', 'provider')],
  limit: suggesting,
  returns: userPage,
  run: ({ params, paging, ...ctx }) => showUsers(ctx, params, paging),
})

/** Requests for single users that one caller may make in ten minutes (spec core 8.8); administrators are not counted. */
const GET_BY_ID = {
  max: 300,
  per: 600,
  maxOf: (ctx: Ctx) => {
    if (ctx.actor.is_admin) return 0
    const { users_get_by_id_limit, users_get_by_id_limit_allowlist } = settingsOf(ctx)
    return isListed(ctx.actor, users_get_by_id_limit_allowlist) ? 0 : users_get_by_id_limit
  },
}

export const getUser = endpoint('GET /users/:id', {
  summary: 'Get a user',
  can: 'anyone',
  token: ['read_user'],
  params: { id: int({ min: 1 }).describe('Id of the user'), ...withAttributesParam },
  limit: GET_BY_ID,
  returns: ok(oneOf(User, UserDetailsWithAdmin)),
  run: ({ params, ...ctx }) => {
    if (ctx.actor.kind === 'anonymous') throw fail('forbidden', '403 Forbidden - Not authorized!')
    const row = store.byId(ctx.db, params.id)
    if (!row) throw notFound('User')
    const details = detailsOf(ctx, row)
    if (!ctx.actor.is_admin) return as(User, details)
    const custom_attributes = params.with_custom_attributes
      ? (customAttributesOf(ctx.db, 'user', [row.id]).get(row.id) ?? [])
      : undefined
    return as(UserDetailsWithAdmin, { ...details, custom_attributes })
  },
})

export const customAttributes = userAttributeRoutes((ctx, id) => store.byId(ctx.db, id) !== undefined)

/** Days that `GET /user/activities` looks back unless asked otherwise: half a year. */
const ACTIVITY_DAYS = 183

export const activities = endpoint('GET /user/activities', {
  summary: 'List when users were last active',
  can: 'admin',
  params: { from: day().optional().describe('Only users active since (default half a year ago)') },
  returns: page(UserActivity),
  run: ({ params, paging, ...ctx }) =>
    listActivities(ctx.db, params.from ?? isoDate(addDays(ctx.now, -ACTIVITY_DAYS)), paging),
})

export const avatar = endpoint('GET /avatar', {
  summary: 'Get the picture that belongs to an e-mail address',
  can: 'anyone',
  token: ['read_user'],
  params: {
    email: text({ max: 254 }).describe('Public e-mail address of a user'),
    size: int({ min: 1, max: 2048 })
      .optional()
      .describe('Edge of a picture that is looked up elsewhere, pixels'),
  },
  pure: true,
  returns: ok(Avatar),
  run: ({ params, ...ctx }) => avatarOf(ctx, params.email, params.size),
})
