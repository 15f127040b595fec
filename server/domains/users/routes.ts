import type { Ctx } from '../../ctx.ts'
import { allOrNone, atLeastOne, endpoint } from '../../http/endpoint.ts'
import { as, oneOf } from '../../http/entity.ts'
import { bool, day, int, text } from '../../http/params.ts'
import { noContent, ok, page } from '../../http/returns.ts'
import { addDays, isoDate } from '../../lib/clock.ts'
import { fail, notFound } from '../../lib/fail.ts'
import { isListed } from '../../policy/actor.ts'
import { attributesOfOwners as customAttributesOf } from './custom_attributes/store.ts'
import { userAttributeRoutes, withAttributesParam } from './custom_attributes/routes.ts'
import { settingsOf } from '../settings/index.ts'
import { listActivities } from './store.ts'
import { avatarOf, changeFlags, removeIdentity, userOf } from './service.ts'
import { withUserDetails } from './store-details.ts'
import {
  Avatar,
  User,
  UserActivity,
  UserDetailsWithAdmin,
  UserPreferences,
  UserPublic,
  UserWithAdmin,
} from './entity.ts'
import { listParams, showUsers, userPage, suggestionLimit } from './params.ts'
import * as store from './store.ts'

export const getCurrentUser = endpoint('GET /user', {
  summary: 'Get the current user',
  can: 'signed_in',
  token: ['read_user'],
  returns: ok(oneOf(UserPublic, UserWithAdmin)),
  run: (ctx) => {
    const row = withUserDetails(ctx.db, store.userById(ctx.db, ctx.actor.id!)!, ctx.actor.id)
    return row.is_admin ? as(UserWithAdmin, row) : as(UserPublic, row)
  },
})

export const listUsers = endpoint('GET /users', {
  summary: 'List users',
  can: 'anyone',
  token: ['read_user'],
  params: listParams,
  parameterRules: [allOrNone('extern_uid', 'provider')],
  limit: suggestionLimit,
  returns: userPage,
  run: ({ params, paging, ...ctx }) => showUsers(ctx, params, paging),
})

/**
 * The maximum number of requests of one caller for single users in ten minutes (spec core 8.8). Requests of
 * administrators are not counted.
 */
const GET_USER_LIMIT = {
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
  params: { id: int({ min: 1 }).describe('The ID of the user'), ...withAttributesParam },
  limit: GET_USER_LIMIT,
  returns: ok(oneOf(User, UserDetailsWithAdmin)),
  run: ({ params, ...ctx }) => {
    if (ctx.actor.kind === 'anonymous') throw fail('forbidden', '403 Forbidden - Not authorized!')
    const row = store.userById(ctx.db, params.id)
    if (!row) throw notFound('User')
    const details = withUserDetails(ctx.db, row, ctx.actor.id)
    if (!ctx.actor.is_admin) return as(User, details)
    const custom_attributes = params.with_custom_attributes
      ? (customAttributesOf(ctx.db, 'user', [row.id]).get(row.id) ?? [])
      : undefined
    return as(UserDetailsWithAdmin, { ...details, custom_attributes })
  },
})

export const customAttributes = userAttributeRoutes((ctx, id) => store.userById(ctx.db, id) !== undefined)

/** The default period of `GET /user/activities` in days: half a year. */
const ACTIVITY_DAYS = 183

export const activities = endpoint('GET /user/activities', {
  summary: 'List the last activity dates of users',
  can: 'admin',
  params: {
    from: day().optional().describe('Limit to users active since this date. Defaults to six months ago'),
  },
  returns: page(UserActivity),
  run: ({ params, paging, ...ctx }) =>
    listActivities(ctx.db, params.from ?? isoDate(addDays(ctx.now, -ACTIVITY_DAYS)), paging),
})

export const avatar = endpoint('GET /avatar', {
  summary: 'Get the avatar of an email address',
  can: 'anyone',
  token: ['read_user'],
  params: {
    email: text({ max: 254 }).describe('The public email address of the user'),
    size: int({ min: 1, max: 2048 })
      .optional()
      .describe('The width of an avatar from an external service in pixels'),
  },
  pure: true,
  returns: ok(Avatar),
  run: ({ params, ...ctx }) => avatarOf(ctx, params.email, params.size),
})

export const deleteIdentity = endpoint('DELETE /users/:id/identities/:provider', {
  summary: 'Delete an identity of a user',
  can: 'admin',
  params: {
    id: int({ min: 1 }).describe('The ID of the user'),
    provider: text({ max: 255 }).describe('The name of the identity provider'),
  },
  returns: noContent,
  run: ({ params, ...ctx }) => removeIdentity(ctx, userOf(ctx, params.id).id, params.provider),
})

const preferenceParams = {
  view_diffs_file_by_file: bool().optional().describe('Whether diffs show one file at a time'),
  show_whitespace_in_diffs: bool().optional().describe('Whether diffs show whitespace changes'),
  pass_user_identities_to_ci_jwt: bool()
    .optional()
    .describe('Whether the ID tokens of CI jobs contain the external identities of the user'),
}

export const getPreferences = endpoint('GET /user/preferences', {
  summary: 'Get the preferences of the current user',
  can: 'signed_in',
  token: ['read_user'],
  pure: true,
  returns: ok(UserPreferences),
  run: (ctx) => userOf(ctx, ctx.actor.id!),
})

export const changePreferences = endpoint('PUT /user/preferences', {
  summary: 'Update the preferences of the current user',
  can: 'signed_in',
  params: preferenceParams,
  parameterRules: [atLeastOne(...Object.keys(preferenceParams))],
  returns: ok(UserPreferences),
  run: ({ params, ...ctx }) => changeFlags(ctx, ctx.actor.id!, params),
})
