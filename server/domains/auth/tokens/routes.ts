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
const newTokenParams = {
  name: text({ max: 255 }).describe('The description of the token'),
  scopes: list(choice(...TOKEN_SCOPES)).describe('The scopes of the token'),
  expires_at: day().nullable().optional().describe('The expiry date of the token. Default: none'),
}

const user_id = int({ min: 1 }).describe('The ID of the user')
const tokenParams = { user_id, impersonation_token_id: int({ min: 1 }).describe('The ID of the token') }

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
    state: choice('all', 'active', 'inactive').default('all').describe('Limit to active or inactive tokens'),
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
    params: tokenParams,
    returns: ok(ImpersonationToken),
    run: ({ params, ...ctx }) => tokenOf(ctx, params),
  },
)

export const createImpersonationToken = endpoint('POST /users/:user_id/impersonation_tokens', {
  summary: 'Create an impersonation token',
  can: 'admin',
  params: { user_id, ...newTokenParams },
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
    params: tokenParams,
    returns: noContent,
    run: ({ params, ...ctx }) => revoke(ctx, tokenOf(ctx, params)),
  },
)

/** The expiry date of the successor of a rotated token. */
const newExpiryParam = {
  expires_at: day().optional().describe('The expiry date of the new token. Defaults to one week from now'),
}

export const createOwnToken = endpoint('POST /-/profile/personal_access_tokens', {
  summary: 'Create a personal access token for the current user',
  can: 'signed_in',
  params: newTokenParams,
  fails: { 400: 'A value is not acceptable' },
  returns: created(PersonalAccessTokenWithToken),
  run: ({ params, ...ctx }) => {
    // Only sessions of the window may create tokens; otherwise a token could create one with more scopes than its
    // own.
    if (ctx.actor.kind !== 'user' || ctx.actor.via !== 'session') throw fail('forbidden')
    return createToken(ctx, ctx.actor, params)
  },
})

export const createTokenFor = endpoint('POST /users/:user_id/personal_access_tokens', {
  summary: 'Create a personal access token for a user',
  can: 'admin',
  params: { user_id, ...newTokenParams },
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
    user_id: int({ min: 1 }).optional().describe('Limit to tokens of this user'),
    revoked: bool().optional().describe('Limit to revoked tokens, or to those that are not revoked'),
    state: choice('active', 'inactive').optional().describe('Limit to active or inactive tokens'),
    search: text({ max: 255 }).optional().describe('Part of the name'),
    created_before: timestamp().optional().describe('Limit to tokens created before this time'),
    created_after: timestamp().optional().describe('Limit to tokens created after this time'),
    last_used_before: timestamp().optional().describe('Limit to tokens last used before this time'),
    last_used_after: timestamp().optional().describe('Limit to tokens last used after this time'),
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

/** Returns the id of the personal access token that authenticates the request. */
function ownTokenId(ctx: Ctx): number | undefined {
  return ctx.actor.kind === 'user' ? ctx.actor.token_id : undefined
}

/** Returns the personal access token that authenticates the request. Throws 400 without one. */
function ownToken(ctx: Ctx): store.TokenRow {
  const id = ownTokenId(ctx)
  if (id === undefined)
    throw fail('bad_request', '400 Bad request - This endpoint needs a personal access token.')
  return store.tokenById(ctx.db, id)!
}

/** Returns a token by id. Throws 401 for an unknown token or one of another user; for administrators 404. */
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
  params: { id: int({ min: 1 }).describe('The ID of the token') },
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
  params: { id: int({ min: 1 }).describe('The ID of the token') },
  returns: noContent,
  run: ({ params, ...ctx }) => revoke(ctx, tokenFor(ctx, params.id)),
})

export const rotateOwnToken = endpoint('POST /personal_access_tokens/self/rotate', {
  summary: 'Rotate the token of this request',
  can: 'signed_in',
  volatile: true,
  params: newExpiryParam,
  fails: { 400: 'A value is invalid', 405: 'The request has no personal access token' },
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
  params: { id: int({ min: 1 }).describe('The ID of the token'), ...newExpiryParam },
  fails: { 400: 'The token is revoked or expired, or a value is invalid' },
  returns: ok(PersonalAccessTokenWithToken),
  run: ({ params, ...ctx }) => rotate(ctx, tokenFor(ctx, params.id), params.expires_at),
})
