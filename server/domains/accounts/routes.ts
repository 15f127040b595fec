import { z } from 'zod'

import type { Ctx } from '../../ctx.ts'
import { allOrNone, atLeastOne, endpoint } from '../../http/endpoint.ts'
import { entity, entitySchemas, type Entity } from '../../http/entity.ts'
import { bool, int, text } from '../../http/params.ts'
import { created, ok, noContent } from '../../http/returns.ts'
import { fail } from '../../lib/fail.ts'
import { HandedLinkView } from '../auth/entity.ts'
import { avatarParam } from '../storage/index.ts'
import { UserWithAdmin, OwnProfile } from '../users/entity.ts'
import { accountParams, withDetails, userOf, profileParams } from '../users/index.ts'
import { scheduleDeletion } from './deletion/jobs.ts'
import { changeUserAccount, createUserAccount, makeEmailConfirmation, changeOwnAccount } from './service.ts'
import { activate, approve, ban, block, deactivate, reject, unban, unblock } from './states/service.ts'

const outcome = z.boolean().nullable()
entitySchemas.add(outcome, { id: 'StateOutcome' })

/** The result of a change of state: `true`, `false` where nothing changed, `null` for the same state as before. */
const StateOutcome: Entity<boolean | null, boolean | null> = {
  name: 'StateOutcome',
  schema: outcome,
  present: (value) => value,
}

/** The answer to an approval or rejection. */
const RequestAnswered = entity('RequestAnswered', { message: z.literal('Success') }, () => ({
  message: 'Success' as const,
}))

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

export const removeUser = endpoint('DELETE /users/:id', {
  summary: 'Delete a user; contributions move to the ghost user',
  can: 'admin',
  params: {
    id: int({ min: 1 }).describe('Id of the user'),
    hard_delete: bool().optional().describe('Delete the contributions too, and groups without another owner'),
  },
  fails: { 409: 'User cannot be removed while is the sole-owner of a group' },
  returns: noContent,
  run: ({ params, http, ...ctx }) => {
    const user = userOf(ctx, params.id)
    http.unmodifiedSince(user.updated_at)
    scheduleDeletion(ctx, user, { isHard: params.hard_delete ?? false })
  },
})

export const getProfile = endpoint('GET /-/profile', {
  summary: 'Get the profile of the current user, with private fields',
  can: 'signed_in',
  returns: ok(OwnProfile),
  run: (ctx) => withDetails(ctx.db, userOf(ctx, ctx.actor.id!), ctx.actor.id),
})

const changeable = {
  name: text({ max: 255 }).optional().describe('Name'),
  username: text({ max: 255 }).optional().describe('User name; it is part of the paths of personal projects'),
  email: text({ max: 254 })
    .optional()
    .describe('Email address; a new one takes effect after its confirmation'),
  timezone: text({ max: 255 }).nullable().optional().describe('Time zone, such as `Europe/Zurich`'),
  avatar: avatarParam(),
  ...profileParams,
}

export const updateProfile = endpoint('PUT /-/profile', {
  summary: 'Update the profile of the current user',
  can: 'signed_in',
  params: changeable,
  together: [atLeastOne(...Object.keys(changeable))],
  fails: {
    400: 'A value is invalid',
    409: 'The user name or email address is taken',
  },
  returns: ok(OwnProfile),
  run: async ({ params, ...ctx }) => {
    const { name, username, email, timezone, avatar, ...attributes } = params
    const user = await changeOwnAccount(ctx, { name, username, email, timezone, avatar, attributes })
    return withDetails(ctx.db, user, ctx.actor.id)
  },
})

export const createConfirmation = endpoint('POST /-/admin/users/:id/emails/:email_id/confirmation', {
  summary: 'Create a link that confirms a secondary email address of a user',
  can: 'admin',
  volatile: true,
  params: {
    id: int({ min: 1 }).describe('Id of the user'),
    email_id: int({ min: 1 }).describe('Id of the address'),
  },
  fails: { 409: 'The email address is already confirmed.' },
  returns: created(HandedLinkView),
  run: ({ params, ...ctx }) => makeEmailConfirmation(ctx, userOf(ctx, params.id).id, params.email_id),
})

const shared = {
  admin: bool().optional().describe('Is an administrator'),
  provider: text({ max: 255, notEmpty: true }).optional().describe('Sign-in provider of `extern_uid`'),
  extern_uid: text({ max: 255, notEmpty: true }).optional().describe('Name at the sign-in provider'),
  avatar: avatarParam(),
  ...accountParams,
}

const REFUSALS = {
  400: 'A value is invalid',
  409: 'The user name or email address is taken',
}

const together = allOrNone('extern_uid', 'provider')

export const createUser = endpoint('POST /users', {
  summary: 'Create a user',
  can: 'admin',
  params: {
    email: text({ max: 254 }).describe('Email address'),
    name: text({ max: 255 }).describe('Name'),
    username: text({ max: 255 }).describe('User name'),
    password: text({ max: 1024 }).optional().describe('Password'),
    reset_password: bool().optional().describe('The user sets the password with a link'),
    force_random_password: bool().optional().describe('Set a random password, which is not shown'),
    skip_confirmation: bool().optional().describe('Whether the email address is confirmed'),
    ...shared,
  },
  together: [atLeastOne('password', 'reset_password', 'force_random_password'), together],
  fails: REFUSALS,
  returns: created(UserWithAdmin),
  run: async ({ params, ...ctx }) => {
    const { email, name, username, password, reset_password, force_random_password, ...rest } = params
    const { admin, skip_confirmation, provider, extern_uid, avatar, ...attributes } = rest
    const account = { email, name, username, password, reset_password, force_random_password }
    const more = { admin, skip_confirmation, provider, extern_uid, avatar, attributes }
    const user = await createUserAccount(ctx, { ...account, ...more })
    return withDetails(ctx.db, user, ctx.actor.id)
  },
})

export const updateUser = endpoint('PUT /users/:id', {
  summary: 'Update a user',
  can: 'admin',
  params: {
    id: int({ min: 1 }).describe('Id of the user'),
    skip_reconfirmation: bool()
      .optional()
      .describe('Whether a new email address is confirmed without a mail'),
    name: text({ max: 255 }).optional().describe('Name'),
    username: text({ max: 255 }).optional().describe('User name'),
    email: text({ max: 254 }).optional().describe('Email address'),
    password: text({ max: 1024 }).optional().describe('New password'),
    ...shared,
  },
  together: [together],
  fails: REFUSALS,
  returns: ok(UserWithAdmin),
  run: async ({ params, ...ctx }) => {
    const { id, name, username, email, password, admin, skip_reconfirmation, ...rest } = params
    const { provider, extern_uid, avatar, ...attributes } = rest
    const account = { name, username, email, password, admin, skip_reconfirmation }
    const user = await changeUserAccount(ctx, id, { ...account, provider, extern_uid, avatar, attributes })
    return withDetails(ctx.db, user, ctx.actor.id)
  },
})
