import { endpoint } from '../../http/endpoint.ts'
import { int, choice, text } from '../../http/params.ts'
import { created, page, ok } from '../../http/returns.ts'
import { UserBasic, UserStatus } from './entity.ts'
import { follow, followsOf, unfollow } from './service-follows.ts'
import { findByIdOrName } from './service.ts'
import { setStatus, STATUS_STAYS, statusOf } from './service-statuses.ts'
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
  params: { id_or_username: text({ max: 255 }).describe('Id or name of the user') },
  returns: ok(UserStatus),
  run: ({ params, ...ctx }) => statusOf(ctx, findByIdOrName(ctx, params.id_or_username).id),
})

const status = {
  emoji: text({ max: 1024 }).nullable().optional().describe('Name of an emoji (default `speech_balloon`)'),
  message: text({ max: 65_536 }).nullable().optional().describe('At most 100 characters'),
  availability: choice('not_set', 'busy').nullable().optional().describe('Whether the user is busy'),
  clear_status_after: choice(...STATUS_STAYS)
    .nullable()
    .optional()
    .describe('When the status is cleared'),
}
const NOT_ACCEPTABLE = { 400: 'The emoji is unknown, or the message is too long' }

export const replaceStatus = endpoint('PUT /user/status', {
  summary: 'Set the status of the current user; missing fields are cleared',
  can: 'signed_in',
  params: status,
  fails: NOT_ACCEPTABLE,
  returns: ok(UserStatus),
  run: ({ params, ...ctx }) => setStatus(ctx, params, false),
})

export const changeStatus = endpoint('PATCH /user/status', {
  summary: 'Update the status of the current user; missing fields stay',
  can: 'signed_in',
  params: status,
  fails: NOT_ACCEPTABLE,
  returns: ok(UserStatus),
  run: ({ params, ...ctx }) => setStatus(ctx, params, true),
})

const userId = { id: int({ min: 1 }).describe('Id of the user') }

export const following = ([true, false] as const).map((isFollow) =>
  endpoint(`POST /users/:id/${isFollow ? 'follow' : 'unfollow'}`, {
    summary: isFollow ? 'Follow a user' : 'Unfollow a user',
    can: 'signed_in',
    params: userId,
    fails: {
      304: 'The caller already follows the user, or does not follow them',
      400: 'Users cannot follow themselves, or more than 300 users',
    },
    returns: created(UserBasic),
    run: ({ params, ...ctx }) => (isFollow ? follow : unfollow)(ctx, params.id),
  }),
)

export const lists = (['followers', 'following'] as const).map((direction) =>
  endpoint(`GET /users/:id/${direction}`, {
    summary:
      direction === 'followers' ? 'List the followers of a user' : 'List the users that a user follows',
    can: 'anyone',
    token: ['read_user'],
    params: userId,
    pure: true,
    returns: page(UserBasic),
    run: ({ params, paging, ...ctx }) => store.list(ctx.db, followsOf(ctx, params.id).id, direction, paging),
  }),
)
