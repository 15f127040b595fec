import { z } from 'zod'

import type { Ctx } from '../../ctx.ts'
import { allOrNone, atLeastOne, endpoint } from '../../http/endpoint.ts'
import { entity, entitySchemas, type Entity } from '../../http/entity.ts'
import { bool, int, text } from '../../http/params.ts'
import { created, ok, noContent } from '../../http/returns.ts'
import { fail } from '../../lib/fail.ts'
import { OneTimeLinkView } from '../auth/entity.ts'
import { avatarParam } from '../storage/index.ts'
import { UserWithAdmin, OwnProfile } from '../users/entity.ts'
import { accountParams, withDetails, userOf, profileParams } from '../users/index.ts'
import { scheduleDeletion } from './deletion/service.ts'
import {
  changeUserAccount,
  createUserAccount,
  createEmailConfirmationLink,
  changeOwnAccount,
} from './service.ts'
import { activate, approve, ban, block, deactivate, reject, unban, unblock } from './states/service.ts'

const outcome = z.boolean().nullable()
entitySchemas.add(outcome, { id: 'StateOutcome' })

/** The result of a change of state: `true` for a change, `false` or `null` (depending on the endpoint) for none. */
const StateOutcome: Entity<boolean | null, boolean | null> = {
  name: 'StateOutcome',
  schema: outcome,
  present: (value) => value,
}

/** The response to an approval or a rejection. */
const RequestResult = entity('RequestResult', { message: z.literal('Success') }, () => ({
  message: 'Success' as const,
}))

const userId = { id: int({ min: 1 }).describe('The ID of the user') }

const STATE_CHANGES: readonly [
  name: string,
  summary: string,
  run: (ctx: Ctx, id: number) => boolean | null,
][] = [
  ['block', 'Block a user', block],
  ['unblock', 'Unblock a user', unblock],
  ['ban', 'Ban a user', ban],
  ['unban', 'Unban a user', unban],
  ['activate', 'Activate a user', activate],
  ['deactivate', 'Deactivate a dormant user', deactivate],
]

export const stateChanges = STATE_CHANGES.map(([name, summary, run]) =>
  endpoint(`POST /users/:id/${name}`, {
    summary,
    can: 'admin',
    params: userId,
    returns: created(StateOutcome),
    run: ({ params, ...ctx }) => run(ctx, params.id),
  }),
)

export const approveUser = endpoint('POST /users/:id/approve', {
  summary: 'Approve a pending user',
  can: 'admin',
  params: userId,
  fails: { 409: 'The user you are trying to approve is not pending approval' },
  returns: created(RequestResult),
  run: ({ params, ...ctx }) => approve(ctx, params.id),
})

export const rejectUser = endpoint('POST /users/:id/reject', {
  summary: 'Reject a pending user',
  can: 'admin',
  params: userId,
  fails: { 409: 'User does not have a pending request' },
  returns: ok(RequestResult),
  run: ({ params, ...ctx }) => reject(ctx, params.id),
})

export const disableTwoFactor = endpoint('PATCH /users/:id/disable_two_factor', {
  summary: 'Disable two-factor authentication of a user',
  can: 'admin',
  params: userId,
  fails: { 400: 'Two-factor authentication is not enabled for the user' },
  returns: noContent,
  run: ({ params, ...ctx }) => {
    if (userOf(ctx, params.id).is_admin) {
      throw fail(
        'forbidden',
        '403 Forbidden - Two-factor authentication for admins cannot be disabled via the API.',
      )
    }
    // Deskforge has no two-factor authentication, so it is never enabled.
    throw fail('bad_request', '400 Bad request - Two-factor authentication is not enabled for this user')
  },
})

export const removeUser = endpoint('DELETE /users/:id', {
  summary: 'Delete a user',
  can: 'admin',
  params: {
    ...userId,
    hard_delete: bool()
      .optional()
      .describe(
        'Also delete contributions and groups without another owner. By default contributions move to the ghost user',
      ),
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

const profileUpdateParams = {
  name: text({ max: 255 }).optional().describe('Name'),
  username: text({ max: 255 }).optional().describe('User name. It is part of the paths of personal projects'),
  email: text({ max: 254 })
    .optional()
    .describe('Email address. A new address takes effect after its confirmation'),
  timezone: text({ max: 255 }).nullable().optional().describe('Time zone, such as `Europe/Zurich`'),
  avatar: avatarParam(),
  ...profileParams,
}

export const updateProfile = endpoint('PUT /-/profile', {
  summary: 'Update the profile of the current user',
  can: 'signed_in',
  params: profileUpdateParams,
  parameterRules: [atLeastOne(...Object.keys(profileUpdateParams))],
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
  summary: 'Create a confirmation link for a secondary email address of a user',
  can: 'admin',
  volatile: true,
  params: { ...userId, email_id: int({ min: 1 }).describe('The ID of the email address') },
  fails: { 409: 'The email address is already confirmed.' },
  returns: created(OneTimeLinkView),
  run: ({ params, ...ctx }) => createEmailConfirmationLink(ctx, userOf(ctx, params.id).id, params.email_id),
})

const sharedParams = {
  admin: bool().optional().describe('Whether the user is an administrator'),
  provider: text({ max: 255, notEmpty: true }).optional().describe('The identity provider of `extern_uid`'),
  extern_uid: text({ max: 255, notEmpty: true })
    .optional()
    .describe('The ID of the user at the identity provider'),
  avatar: avatarParam(),
  ...accountParams,
}

const FAILURES = {
  400: 'A value is invalid',
  409: 'The user name or email address is taken',
}

const identityPair = allOrNone('extern_uid', 'provider')

export const createUser = endpoint('POST /users', {
  summary: 'Create a user',
  can: 'admin',
  params: {
    email: text({ max: 254 }).describe('Email address'),
    name: text({ max: 255 }).describe('Name'),
    username: text({ max: 255 }).describe('User name'),
    password: text({ max: 1024 }).optional().describe('Password'),
    reset_password: bool()
      .optional()
      .describe('Whether the user sets the password with a password reset link'),
    force_random_password: bool().optional().describe('Whether to set a random password'),
    skip_confirmation: bool().optional().describe('Whether to skip the confirmation of the email address'),
    ...sharedParams,
  },
  parameterRules: [atLeastOne('password', 'reset_password', 'force_random_password'), identityPair],
  fails: FAILURES,
  returns: created(UserWithAdmin),
  run: async ({ params, ...ctx }) => {
    const { email, name, username, password, reset_password, force_random_password, ...rest } = params
    const { admin, skip_confirmation, provider, extern_uid, avatar, ...attributes } = rest
    const account = { email, name, username, password, reset_password, force_random_password }
    const details = { admin, skip_confirmation, provider, extern_uid, avatar, attributes }
    const user = await createUserAccount(ctx, { ...account, ...details })
    return withDetails(ctx.db, user, ctx.actor.id)
  },
})

export const updateUser = endpoint('PUT /users/:id', {
  summary: 'Update a user',
  can: 'admin',
  params: {
    ...userId,
    skip_reconfirmation: bool()
      .optional()
      .describe('Whether to skip the confirmation of a new email address'),
    name: text({ max: 255 }).optional().describe('Name'),
    username: text({ max: 255 }).optional().describe('User name'),
    email: text({ max: 254 }).optional().describe('Email address'),
    password: text({ max: 1024 }).optional().describe('New password'),
    ...sharedParams,
  },
  parameterRules: [identityPair],
  fails: FAILURES,
  returns: ok(UserWithAdmin),
  run: async ({ params, ...ctx }) => {
    const { id, name, username, email, password, admin, skip_reconfirmation, ...rest } = params
    const { provider, extern_uid, avatar, ...attributes } = rest
    const account = { name, username, email, password, admin, skip_reconfirmation }
    const user = await changeUserAccount(ctx, id, { ...account, provider, extern_uid, avatar, attributes })
    return withDetails(ctx.db, user, ctx.actor.id)
  },
})
