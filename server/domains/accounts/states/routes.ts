import type { Ctx } from '../../../ctx.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { int } from '../../../http/params.ts'
import { created, noContent, ok } from '../../../http/returns.ts'
import { fail } from '../../../lib/fail.ts'
import { userOf } from '../../users/index.ts'
import { RequestAnswered, StateOutcome } from './entity.ts'
import { activate, approve, ban, block, deactivate, reject, unban, unblock } from './service.ts'

const userId = { id: int({ min: 1 }).describe('Id of the user') }

const CHANGES: readonly [name: string, summary: string, run: (ctx: Ctx, id: number) => boolean | null][] = [
  ['block', 'Block a user', block],
  ['unblock', 'Unblock a user', unblock],
  ['ban', 'Ban a user', ban],
  ['unban', 'Unban a user', unban],
  ['activate', 'Activate a user', activate],
  ['deactivate', 'Deactivate a dormant user', deactivate],
]

export const stateChanges = CHANGES.map(([name, summary, run]) =>
  endpoint(`POST /users/:id/${name}`, {
    summary,
    can: 'admin',
    params: userId,
    returns: created(StateOutcome),
    run: ({ params, ...ctx }) => run(ctx, params.id),
  }),
)

export const approveUser = endpoint('POST /users/:id/approve', {
  summary: 'Approve a user who signed up',
  can: 'admin',
  params: userId,
  fails: { 409: 'The user you are trying to approve is not pending approval' },
  returns: created(RequestAnswered),
  run: ({ params, ...ctx }) => approve(ctx, params.id),
})

export const rejectUser = endpoint('POST /users/:id/reject', {
  summary: 'Reject a user who signed up',
  can: 'admin',
  params: userId,
  fails: { 409: 'User does not have a pending request' },
  returns: ok(RequestAnswered),
  run: ({ params, ...ctx }) => reject(ctx, params.id),
})

export const disableTwoFactor = endpoint('PATCH /users/:id/disable_two_factor', {
  summary: 'Disable the second factor of a user',
  can: 'admin',
  params: userId,
  fails: { 400: 'The user has no second factor' },
  returns: noContent,
  run: ({ params, ...ctx }) => {
    if (userOf(ctx, params.id).is_admin) {
      throw fail(
        'forbidden',
        '403 Forbidden - Two-factor authentication for admins cannot be disabled via the API.',
      )
    }
    // Second factors are not supported, so nobody has one.
    throw fail('bad_request', '400 Bad request - Two-factor authentication is not enabled for this user')
  },
})
