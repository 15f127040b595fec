import { endpoint } from '../../http/endpoint.ts'
import { int, choice, text } from '../../http/params.ts'
import { created, page, ok } from '../../http/returns.ts'
import { UserBasic, UserStatus } from './entity.ts'
import { follow, visibleProfile, unfollow } from './service-follows.ts'
import { findByIdOrName } from './service.ts'
import { setStatus, STATUS_DURATIONS, statusOf } from './service-statuses.ts'
import * as store from './store-details.ts'

export const getOwnStatus = endpoint('GET /user/status', {
  summary: 'Get the status of the current user',
  can: 'signed_in',
  token: ['read_user'],
  returns: ok(UserStatus),
  run: (ctx) => statusOf(ctx, ctx.actor.id!),
})

export const getStatus = endpoint('GET /users/:id_or_username/status', {
  summary: 'Get the status of a user',
  can: 'anyone',
  token: ['read_user'],
  params: { id_or_username: text({ max: 255 }).describe('The ID or username of the user') },
  returns: ok(UserStatus),
  run: ({ params, ...ctx }) => statusOf(ctx, findByIdOrName(ctx, params.id_or_username).id),
})

const statusParams = {
  emoji: text({ max: 1024 })
    .nullable()
    .optional()
    .describe('The name of the emoji. Defaults to `speech_balloon`'),
  message: text({ max: 65_536 }).nullable().optional().describe('The message, at most 100 characters'),
  availability: choice('not_set', 'busy').nullable().optional().describe('Whether the user is busy'),
  clear_status_after: choice(...STATUS_DURATIONS)
    .nullable()
    .optional()
    .describe('The time after which the status is cleared'),
}
const FAILURES = { 400: 'The emoji is unknown, or the message is too long' }

export const replaceStatus = endpoint('PUT /user/status', {
  summary: 'Set the status of the current user. Absent fields are cleared',
  can: 'signed_in',
  params: statusParams,
  fails: FAILURES,
  returns: ok(UserStatus),
  run: ({ params, ...ctx }) => setStatus(ctx, params, false),
})

export const changeStatus = endpoint('PATCH /user/status', {
  summary: 'Update the status of the current user. Absent fields stay unchanged',
  can: 'signed_in',
  params: statusParams,
  fails: FAILURES,
  returns: ok(UserStatus),
  run: ({ params, ...ctx }) => setStatus(ctx, params, true),
})

const userId = { id: int({ min: 1 }).describe('The ID of the user') }

export const following = ([true, false] as const).map((isFollow) =>
  endpoint(`POST /users/:id/${isFollow ? 'follow' : 'unfollow'}`, {
    summary: isFollow ? 'Follow a user' : 'Unfollow a user',
    can: 'signed_in',
    params: userId,
    fails: {
      304: isFollow ? 'The caller already follows the user' : 'The caller does not follow the user',
      400: 'Users cannot follow themselves, or more than 300 users',
    },
    returns: created(UserBasic),
    run: ({ params, ...ctx }) => (isFollow ? follow : unfollow)(ctx, params.id),
  }),
)

export const lists = (['followers', 'following'] as const).map((direction) =>
  endpoint(`GET /users/:id/${direction}`, {
    summary: direction === 'followers' ? 'List the followers of a user' : 'List the users followed by a user',
    can: 'anyone',
    token: ['read_user'],
    params: userId,
    pure: true,
    returns: page(UserBasic),
    run: ({ params, paging, ...ctx }) =>
      store.list(ctx.db, visibleProfile(ctx, params.id).id, direction, paging),
  }),
)
