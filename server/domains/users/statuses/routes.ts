import { endpoint } from '../../../http/endpoint.ts'
import { choice, text } from '../../../http/params.ts'
import { ok } from '../../../http/returns.ts'
import { userNamed } from '../service-lookup.ts'
import { UserStatus } from '../entity.ts'
import { setStatus, STATUS_STAYS, statusOf } from './service.ts'

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
  run: ({ params, ...ctx }) => statusOf(ctx, userNamed(ctx, params.id_or_username).id),
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
