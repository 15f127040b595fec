import type { Ctx } from '../../ctx.ts'
import { endpoint, type Exchange } from '../../http/endpoint.ts'
import { choice, day, int, list, text, bool, timestamp } from '../../http/params.ts'
import { created, noContent, ok, page } from '../../http/returns.ts'
import { fail, notFound } from '../../lib/fail.ts'
import { settingsOf } from '../settings/index.ts'
import { userById, type UserRow } from '../users/index.ts'
import { userByPassword } from './authenticate.ts'
import {
  FirstRun,
  PersonalAccessToken,
  PersonalAccessTokenWithToken,
  Session,
  type SessionState,
} from './entity.ts'
import { register } from './accounts.ts'
import { setUp, suggestions } from './first-run.ts'
import { csrfOf, sessionState, signInHere, signOutHere } from './sessions.ts'
import * as store from './store.ts'
import { createToken, revoke, TOKEN_SCOPES } from './tokens.ts'

const person = {
  name: text({ max: 255 }).describe('Name'),
  username: text({ max: 255 }).describe('User name'),
  email: text({ max: 254 }).describe('E-mail address'),
  password: text({ max: 1024 }).describe('Password'),
}

const newToken = {
  name: text({ max: 255 }).describe('What the token is for'),
  scopes: list(choice(...TOKEN_SCOPES)).describe('What the token may do'),
  expires_at: day()
    .nullable()
    .optional()
    .describe('Day on which the token ends; without it the token does not end'),
}

/** Signs a user in here and says what the window then needs. */
function openHere(ctx: Ctx, http: Exchange, user: UserRow): SessionState {
  const session = signInHere(ctx, http, user)
  return sessionState(ctx, user.id, session.csrf_token)
}

export const getSession = endpoint('GET /-/session', {
  summary: 'Who is signed in to this window, and what the instance is',
  can: 'anyone',
  token: ['any'],
  volatile: true,
  returns: ok(Session),
  run: (ctx) => sessionState(ctx, ctx.actor.id, csrfOf(ctx)),
})

export const signIn = endpoint('POST /-/session', {
  summary: 'Sign in to the window',
  can: 'anyone',
  params: {
    login: text({ max: 254 }).describe('User name or e-mail address'),
    password: text({ max: 1024 }).describe('Password'),
  },
  returns: created(Session),
  run: async ({ params, http, ...ctx }) => {
    if (!settingsOf(ctx).password_authentication_enabled_for_web)
      throw fail('forbidden', '403 Forbidden - Passwords are not accepted here.')
    const user = await userByPassword(ctx, params.login, params.password)
    if (!user) throw fail('unauthorized', 'Invalid login or password.')
    return openHere(ctx, http, user)
  },
})

export const signOut = endpoint('DELETE /-/session', {
  summary: 'Sign out of the window',
  can: 'anyone',
  returns: noContent,
  run: ({ http, ...ctx }) => signOutHere(ctx, http),
})

export const getFirstRun = endpoint('GET /-/first_run', {
  summary: 'What the first run suggests',
  can: 'anyone',
  volatile: true,
  fails: { 409: 'This instance is already set up.' },
  returns: ok(FirstRun),
  run: (ctx) => suggestions(ctx),
})

export const finishFirstRun = endpoint('POST /-/first_run', {
  summary: 'Give the first administrator a name and a password',
  can: 'anyone',
  params: person,
  fails: { 400: 'A value is not acceptable', 409: 'This instance is already set up.' },
  returns: created(Session),
  run: async ({ params, http, ...ctx }) => {
    const { user, token } = await setUp(ctx, params)
    return { ...openHere(ctx, http, user), token }
  },
})

export const signUp = endpoint('POST /-/registration', {
  summary: 'Sign up',
  can: 'anyone',
  params: person,
  fails: {
    400: 'A value is not acceptable',
    409: 'The user name or e-mail address belongs to somebody else',
  },
  returns: created(Session),
  run: async ({ params, http, ...ctx }) => {
    if (!settingsOf(ctx).signup_enabled) throw fail('forbidden', '403 Forbidden - Sign-up is switched off.')
    const user = await register(ctx, params)
    if (user.state === 'active') return openHere(ctx, http, user)
    return {
      ...sessionState(ctx, null, null),
      message: 'You have signed up. An administrator must approve your account first.',
    }
  },
})

export const createOwnToken = endpoint('POST /-/profile/personal_access_tokens', {
  summary: 'Make a personal access token of your own',
  can: 'signed_in',
  params: newToken,
  fails: { 400: 'A value is not acceptable' },
  returns: created(PersonalAccessTokenWithToken),
  run: ({ params, ...ctx }) => {
    // A token must not make tokens that can do more than itself; only a person in the window may.
    if (ctx.actor.kind !== 'user' || ctx.actor.via !== 'session') throw fail('forbidden')
    return createToken(ctx, ctx.actor, params)
  },
})

export const createTokenFor = endpoint('POST /users/:user_id/personal_access_tokens', {
  summary: 'Make a personal access token of a user',
  can: 'admin',
  params: { user_id: int({ min: 1 }).describe('Id of the user'), ...newToken },
  fails: { 400: 'A value is not acceptable' },
  returns: created(PersonalAccessTokenWithToken),
  run: ({ params, ...ctx }) => {
    const user = userById(ctx.db, params.user_id)
    if (!user) throw notFound('User')
    return createToken(ctx, { id: user.id, is_admin: user.is_admin === 1 }, params)
  },
})

export const listTokens = endpoint('GET /personal_access_tokens', {
  summary: 'List personal access tokens: your own, or all for administrators',
  can: 'signed_in',
  params: {
    user_id: int({ min: 1 }).optional().describe('Only tokens of this user'),
    revoked: bool().optional().describe('Only revoked tokens, or only others'),
    state: choice('active', 'inactive').optional().describe('Only tokens that work, or only others'),
    search: text({ max: 255 }).optional().describe('Part of the name'),
    created_before: timestamp().optional().describe('Made before'),
    created_after: timestamp().optional().describe('Made after'),
    last_used_before: timestamp().optional().describe('Last used before'),
    last_used_after: timestamp().optional().describe('Last used after'),
  },
  returns: page(PersonalAccessToken),
  run: ({ params, paging, ...ctx }) => {
    const { id, is_admin } = ctx.actor
    if (!is_admin && params.user_id !== undefined && params.user_id !== id) throw fail('unauthorized')
    const user_id = is_admin ? params.user_id : id!
    return store.listTokens(ctx.db, { ...params, user_id }, paging, ctx.now.slice(0, 10))
  },
})

/** The token that the request itself came with. */
function ownToken(ctx: Ctx): store.TokenRow {
  const id = ctx.actor.kind === 'user' ? ctx.actor.token_id : undefined
  if (id === undefined)
    throw fail('bad_request', '400 Bad request - This endpoint needs a personal access token.')
  return store.tokenById(ctx.db, id)!
}

/** A token by id; somebody else's answers as the contract says: 401, or 404 for administrators. */
function tokenFor(ctx: Ctx, id: number): store.TokenRow {
  const row = store.tokenById(ctx.db, id)
  if (row && (ctx.actor.is_admin || row.user_id === ctx.actor.id)) return row
  throw ctx.actor.is_admin ? notFound() : fail('unauthorized')
}

export const getOwnToken = endpoint('GET /personal_access_tokens/self', {
  summary: 'Get the token of this request',
  can: 'signed_in',
  token: ['any'],
  fails: { 400: 'The request did not come with a token' },
  returns: ok(PersonalAccessToken),
  run: (ctx) => ownToken(ctx),
})

export const getToken = endpoint('GET /personal_access_tokens/:id', {
  summary: 'Get a personal access token',
  can: 'signed_in',
  params: { id: int({ min: 1 }).describe('Id of the token') },
  returns: ok(PersonalAccessToken),
  run: ({ params, ...ctx }) => tokenFor(ctx, params.id),
})

export const revokeOwnToken = endpoint('DELETE /personal_access_tokens/self', {
  summary: 'Revoke the token of this request',
  can: 'signed_in',
  token: ['any'],
  fails: { 400: 'The request did not come with a token' },
  returns: noContent,
  run: (ctx) => revoke(ctx, ownToken(ctx)),
})

export const revokeToken = endpoint('DELETE /personal_access_tokens/:id', {
  summary: 'Revoke a personal access token',
  can: 'signed_in',
  params: { id: int({ min: 1 }).describe('Id of the token') },
  returns: noContent,
  run: ({ params, ...ctx }) => revoke(ctx, tokenFor(ctx, params.id)),
})
