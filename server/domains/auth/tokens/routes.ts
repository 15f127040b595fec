import type { Ctx } from '../../../ctx.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { bool, choice, int, text, timestamp, day, list } from '../../../http/params.ts'
import { created, noContent, ok, page } from '../../../http/returns.ts'
import { fail, notFound } from '../../../lib/fail.ts'
import { userById, type UserRow } from '../../users/index.ts'
import {
  PersonalAccessToken,
  PersonalAccessTokenWithToken,
  ImpersonationToken,
  ImpersonationTokenWithToken,
} from '../entity.ts'
import * as store from '../store.ts'
import { createToken, revoke, rotate, TOKEN_SCOPES } from './service.ts'

/** Parameters of a new personal or impersonation token. */
export const newToken = {
  name: text({ max: 255 }).describe('The description of the token'),
  scopes: list(choice(...TOKEN_SCOPES)).describe('The scopes of the token'),
  expires_at: day().nullable().optional().describe('The expiry date of the token. Default: none'),
}

const user_id = int({ min: 1 }).describe('Id of the user')
const one = { user_id, impersonation_token_id: int({ min: 1 }).describe('Id of the token') }

function userOf(ctx: Ctx, id: number): UserRow {
  const user = userById(ctx.db, id)
  if (!user) throw notFound('User')
  return user
}

function tokenOf(ctx: Ctx, params: { user_id: number; impersonation_token_id: number }): store.TokenRow {
  const user = userOf(ctx, params.user_id)
  const row = store.tokenById(ctx.db, params.impersonation_token_id)
  if (row?.user_id !== user.id || !row.impersonation) throw notFound('Impersonation Token')
  return row
}

export const listImpersonationTokens = endpoint('GET /users/:user_id/impersonation_tokens', {
  summary: 'List the impersonation tokens of a user',
  can: 'admin',
  params: {
    user_id,
    state: choice('all', 'active', 'inactive').default('all').describe('Filter by type of token'),
  },
  returns: page(ImpersonationToken),
  run: ({ params, paging, ...ctx }) => {
    const { id } = userOf(ctx, params.user_id)
    const state = params.state === 'all' ? undefined : params.state
    const filter = { user_id: id, state, impersonation: true }
    return store.listTokens(ctx.db, filter, paging, ctx.now.slice(0, 10))
  },
})

export const getImpersonationToken = endpoint(
  'GET /users/:user_id/impersonation_tokens/:impersonation_token_id',
  {
    summary: 'Get an impersonation token of a user',
    can: 'admin',
    params: one,
    returns: ok(ImpersonationToken),
    run: ({ params, ...ctx }) => tokenOf(ctx, params),
  },
)

export const createImpersonationToken = endpoint('POST /users/:user_id/impersonation_tokens', {
  summary: 'Create an impersonation token',
  can: 'admin',
  params: { user_id, ...newToken },
  fails: { 400: 'A value is not acceptable' },
  returns: created(ImpersonationTokenWithToken),
  run: ({ params, ...ctx }) => {
    if (!ctx.config.impersonation) throw fail('forbidden', '403 Forbidden - Impersonation is disabled.')
    const user = userOf(ctx, params.user_id)
    return createToken(ctx, { id: user.id, is_admin: user.is_admin }, { ...params, impersonation: true })
  },
})

export const revokeImpersonationToken = endpoint(
  'DELETE /users/:user_id/impersonation_tokens/:impersonation_token_id',
  {
    summary: 'Revoke an impersonation token of a user',
    can: 'admin',
    params: one,
    returns: noContent,
    run: ({ params, ...ctx }) => revoke(ctx, tokenOf(ctx, params)),
  },
)

/** The expiry date of the token that replaces a rotated one. */
const newEnd = {
  expires_at: day().optional().describe('The expiry date of the new token. Default: in a week'),
}

export const createOwnToken = endpoint('POST /-/profile/personal_access_tokens', {
  summary: 'Create a personal access token for the current user',
  can: 'signed_in',
  params: newToken,
  fails: { 400: 'A value is not acceptable' },
  returns: created(PersonalAccessTokenWithToken),
  run: ({ params, ...ctx }) => {
    // Only sessions of the window: a token could otherwise create tokens with more scopes than its own.
    if (ctx.actor.kind !== 'user' || ctx.actor.via !== 'session') throw fail('forbidden')
    return createToken(ctx, ctx.actor, params)
  },
})

export const createTokenFor = endpoint('POST /users/:user_id/personal_access_tokens', {
  summary: 'Create a personal access token for a user',
  can: 'admin',
  params: { user_id: int({ min: 1 }).describe('Id of the user'), ...newToken },
  fails: { 400: 'A value is not acceptable' },
  returns: created(PersonalAccessTokenWithToken),
  run: ({ params, ...ctx }) => {
    const user = userById(ctx.db, params.user_id)
    if (!user) throw notFound('User')
    return createToken(ctx, { id: user.id, is_admin: user.is_admin }, params)
  },
})

export const listTokens = endpoint('GET /personal_access_tokens', {
  summary: 'List personal access tokens',
  can: 'signed_in',
  params: {
    user_id: int({ min: 1 }).optional().describe('Filter by user'),
    revoked: bool().optional().describe('Filter by revoked tokens'),
    state: choice('active', 'inactive').optional().describe('Filter by active or inactive tokens'),
    search: text({ max: 255 }).optional().describe('Part of the name'),
    created_before: timestamp().optional().describe('Created before'),
    created_after: timestamp().optional().describe('Created after'),
    last_used_before: timestamp().optional().describe('Last used before'),
    last_used_after: timestamp().optional().describe('Last used after'),
  },
  returns: page(PersonalAccessToken),
  run: ({ params, paging, ...ctx }) => {
    const { id, is_admin } = ctx.actor
    if (!is_admin && params.user_id !== undefined && params.user_id !== id) throw fail('unauthorized')
    const user_id = is_admin ? params.user_id : id!
    const filter = { ...params, user_id, impersonation: false }
    return store.listTokens(ctx.db, filter, paging, ctx.now.slice(0, 10))
  },
})

/** The id of the token that authenticates the request. */
function ownTokenId(ctx: Ctx): number | undefined {
  return ctx.actor.kind === 'user' ? ctx.actor.token_id : undefined
}

/** The token that authenticates the request. */
function ownToken(ctx: Ctx): store.TokenRow {
  const id = ownTokenId(ctx)
  if (id === undefined)
    throw fail('bad_request', '400 Bad request - This endpoint needs a personal access token.')
  return store.tokenById(ctx.db, id)!
}

/** A token by id. Throws 401 for a token of another user, 404 for administrators. */
function tokenFor(ctx: Ctx, id: number): store.TokenRow {
  const row = store.tokenById(ctx.db, id)
  if (row && !row.impersonation && (ctx.actor.is_admin || row.user_id === ctx.actor.id)) return row
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

export const rotateOwnToken = endpoint('POST /personal_access_tokens/self/rotate', {
  summary: 'Rotate the token of this request',
  can: 'signed_in',
  volatile: true,
  params: newEnd,
  fails: { 400: 'A value is not acceptable', 405: 'The request did not come with a personal access token' },
  returns: ok(PersonalAccessTokenWithToken),
  run: ({ params, ...ctx }) => {
    if (ownTokenId(ctx) === undefined) throw fail('not_allowed')
    return rotate(ctx, ownToken(ctx), params.expires_at)
  },
})

export const rotateToken = endpoint('POST /personal_access_tokens/:id/rotate', {
  summary: 'Rotate a personal access token',
  can: 'signed_in',
  volatile: true,
  params: { id: int({ min: 1 }).describe('Id of the token'), ...newEnd },
  fails: { 400: 'The token does not work any more, or a value is not acceptable' },
  returns: ok(PersonalAccessTokenWithToken),
  run: ({ params, ...ctx }) => rotate(ctx, tokenFor(ctx, params.id), params.expires_at),
})
