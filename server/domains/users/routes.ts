import type { Ctx } from '../../ctx.ts'
import { allOrNone, endpoint } from '../../http/endpoint.ts'
import { as, oneOf } from '../../http/entity.ts'
import { int } from '../../http/params.ts'
import { ok } from '../../http/returns.ts'
import { fail, notFound } from '../../lib/fail.ts'
import { customAttributesOf, userAttributeRoutes, withAttributesParam } from '../custom_attributes/index.ts'
import { withDetails, type UserDetailRow } from './details.ts'
import { User, UserDetailsWithAdmin, UserPublic, UserWithAdmin } from './entity.ts'
import { listParams, showUsers, userPage } from './list-params.ts'
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
    return row.is_admin === 1 ? as(UserWithAdmin, row) : as(UserPublic, row)
  },
})

export const listUsers = endpoint('GET /users', {
  summary: 'List users',
  can: 'anyone',
  token: ['read_user'],
  params: listParams,
  together: [allOrNone('extern_uid', 'provider')],
  returns: userPage,
  run: ({ params, paging, ...ctx }) => showUsers(ctx, params, paging),
})

/** Requests for single users that one caller may make in ten minutes (spec core 8.8). */
const GET_BY_ID = { max: 300, per: 600 }

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
