import { allOrNone, atLeastOne, endpoint } from '../../http/endpoint.ts'
import { bool, int, text } from '../../http/params.ts'
import { created, ok } from '../../http/returns.ts'
import { avatarParam } from '../storage/index.ts'
import { UserWithAdmin } from '../users/entity.ts'
import { accountParams, withDetails } from '../users/index.ts'
import { changeUserAccount, createUserAccount } from './service.ts'

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
    force_random_password: bool().optional().describe('Set a random password that nobody knows'),
    skip_confirmation: bool().optional().describe('The email address counts as confirmed'),
    ...shared,
  },
  together: [atLeastOne('password', 'reset_password', 'force_random_password'), together],
  fails: REFUSALS,
  returns: created(UserWithAdmin),
  run: async ({ params, ...ctx }) => {
    const { email, name, username, password, reset_password, force_random_password, ...rest } = params
    const { admin, skip_confirmation, provider, extern_uid, avatar, ...attributes } = rest
    const who = { email, name, username, password, reset_password, force_random_password }
    const more = { admin, skip_confirmation, provider, extern_uid, avatar, attributes }
    const user = await createUserAccount(ctx, { ...who, ...more })
    return withDetails(ctx.db, user, ctx.actor.id)
  },
})

export const updateUser = endpoint('PUT /users/:id', {
  summary: 'Update a user',
  can: 'admin',
  params: {
    id: int({ min: 1 }).describe('Id of the user'),
    skip_reconfirmation: bool().optional().describe('A new email address counts as confirmed'),
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
    const who = { name, username, email, password, admin, skip_reconfirmation }
    const user = await changeUserAccount(ctx, id, { ...who, provider, extern_uid, avatar, attributes })
    return withDetails(ctx.db, user, ctx.actor.id)
  },
})
