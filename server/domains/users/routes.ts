import type { Ctx } from '../../ctx.ts'
import { endpoint } from '../../http/endpoint.ts'
import { as, oneOf } from '../../http/entity.ts'
import { bool, int, text, timestamp } from '../../http/params.ts'
import { ok, page } from '../../http/returns.ts'
import { fail, notFound } from '../../lib/fail.ts'
import { userAttributeRoutes } from '../custom_attributes/index.ts'
import { User, UserBasic, UserDetailsWithAdmin, UserPublic, UserWithAdmin } from './entity.ts'
import * as store from './store.ts'

function detailsOf(ctx: Ctx, row: store.UserRow): store.UserDetailRow {
  return store.withDetails(ctx.db, [row])[0]!
}

export const getCurrentUser = endpoint('GET /user', {
  summary: 'Get the signed-in user',
  can: 'signed_in',
  token: ['read_user'],
  pure: true,
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
  params: {
    search: text({ max: 1024 }).optional().describe('Part of a name or user name, or a whole e-mail address'),
    username: text({ max: 255 }).optional().describe('Exactly this user name, in any case'),
    active: bool().optional().describe('Only active users'),
    blocked: bool().optional().describe('Only blocked users'),
    external: bool().optional().describe('Only external users'),
    exclude_external: bool().optional().describe('No external users'),
    exclude_internal: bool().optional().describe('No users of the instance itself'),
    without_project_bots: bool().optional().describe('No bots of project and group tokens'),
    admins: bool().optional().describe('Only administrators (administrators only)'),
    created_before: timestamp().optional().describe('Made before (administrators only)'),
    created_after: timestamp().optional().describe('Made after (administrators only)'),
  },
  pure: true,
  returns: page(oneOf(UserBasic, UserWithAdmin), {
    order_by: ['id', 'name', 'username', 'created_at', 'updated_at'],
    order: 'id',
  }),
  run: ({ params, paging, ...ctx }) => {
    if (ctx.actor.kind === 'anonymous' && !params.username) {
      throw fail('forbidden', '403 Forbidden - Not authorized to access /api/v4/users')
    }
    const { is_admin } = ctx.actor
    const { search, username, active, blocked, external, exclude_external, without_project_bots } = params
    const open = { search, username, active, blocked, external, exclude_external, without_project_bots }
    const filter = is_admin ? { ...params, searchAllEmails: true } : open
    const order = is_admin ? paging : { ...paging, order_by: 'id', sort: 'desc' as const }
    const { rows, total } = store.list(ctx.db, filter, order)
    if (!is_admin) return { rows: rows.map((row) => as(UserBasic, row)), total }
    return { rows: store.withDetails(ctx.db, rows).map((row) => as(UserWithAdmin, row)), total }
  },
})

export const getUser = endpoint('GET /users/:id', {
  summary: 'Get a user',
  can: 'anyone',
  token: ['read_user'],
  params: { id: int({ min: 1 }).describe('Id of the user') },
  pure: true,
  returns: ok(oneOf(User, UserDetailsWithAdmin)),
  run: ({ params, ...ctx }) => {
    if (ctx.actor.kind === 'anonymous') throw fail('forbidden', '403 Forbidden - Not authorized!')
    const row = store.byId(ctx.db, params.id)
    if (!row) throw notFound('User')
    return ctx.actor.is_admin ? as(UserDetailsWithAdmin, detailsOf(ctx, row)) : as(User, detailsOf(ctx, row))
  },
})

export const customAttributes = userAttributeRoutes((ctx, id) => store.byId(ctx.db, id) !== undefined)
