import { atLeastOne, endpoint } from '../../http/endpoint.ts'
import { bool, int, text } from '../../http/params.ts'
import { created, ok } from '../../http/returns.ts'
import { fail, notFound } from '../../lib/fail.ts'
import { changeAccount, createAccount } from '../auth/index.ts'
import { UserWithAdmin } from '../users/entity.ts'
import {
  checkFree,
  checkIdentity,
  passwordHash,
  profileParams,
  userById,
  withDetails,
  type UserRow,
} from '../users/index.ts'

export const createUser = endpoint('POST /users', {
  summary: 'Create a user',
  can: 'admin',
  params: {
    email: text({ max: 254 }).describe('E-mail address'),
    name: text({ max: 255 }).describe('Name'),
    username: text({ max: 255 }).describe('User name'),
    password: text({ max: 1024 }).optional().describe('Password'),
    reset_password: bool().optional().describe('The user sets the password by e-mail'),
    force_random_password: bool().optional().describe('The password is one that nobody knows'),
    admin: bool().optional().describe('Is an administrator'),
    skip_confirmation: bool().optional().describe('The e-mail address counts as confirmed'),
    ...profileParams,
  },
  together: [atLeastOne('password', 'reset_password', 'force_random_password')],
  fails: {
    400: 'A value is not acceptable',
    409: 'The user name or e-mail address belongs to somebody else',
  },
  returns: created(UserWithAdmin),
  run: async ({ params, ...ctx }) => {
    const { password, reset_password, force_random_password, admin, skip_confirmation: _, ...rest } = params
    const random = reset_password || force_random_password
    if (!random && !password) throw fail('parameter', 'password is missing')
    checkIdentity(params)
    checkFree(ctx, params)
    const password_hash = await passwordHash(ctx, random ? ctx.random.token(40) : password!)
    const { private_profile, ...input } = rest
    const user = createAccount(ctx, {
      ...input,
      private_profile: private_profile ?? false,
      password_hash,
      is_admin: admin ?? false,
    })
    return withDetails(ctx.db, user)
  },
})

export const updateUser = endpoint('PUT /users/:id', {
  summary: 'Change a user',
  can: 'admin',
  params: {
    id: int({ min: 1 }).describe('Id of the user'),
    ...profileParams,
    name: text({ max: 255 }).optional().describe('Name'),
    username: text({ max: 255 }).optional().describe('User name'),
    email: text({ max: 254 }).optional().describe('E-mail address'),
    password: text({ max: 1024 }).optional().describe('New password'),
    admin: bool().optional().describe('Is an administrator'),
  },
  together: [atLeastOne('name', 'username', 'email', 'password', 'admin', ...Object.keys(profileParams))],
  fails: {
    400: 'A value is not acceptable',
    409: 'The user name or e-mail address belongs to somebody else',
  },
  returns: ok(UserWithAdmin),
  run: async ({ params, ...ctx }) => {
    const { id, admin, password, external, private_profile, can_create_group, ...rest } = params
    const before = userById(ctx.db, id)
    if (!before) throw notFound('User')
    checkIdentity(rest)
    checkFree(ctx, rest, id)
    const password_hash = password === undefined ? undefined : await passwordHash(ctx, password)
    const flags = {
      is_admin: admin,
      external,
      private_profile: private_profile ?? undefined,
      can_create_group,
    }
    const numbers = Object.entries(flags)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, value ? 1 : 0])
    const given = Object.entries({ ...rest, password_hash }).filter(([, value]) => value !== undefined)
    const changes = Object.fromEntries([...given, ...numbers]) as Partial<UserRow>
    return withDetails(ctx.db, changeAccount(ctx, before, changes))
  },
})
