import type { Ctx } from '../../../ctx.ts'
import { endpoint } from '../../../http/endpoint.ts'
import { choice, int } from '../../../http/params.ts'
import { created, noContent, ok, page } from '../../../http/returns.ts'
import { fail, notFound } from '../../../lib/fail.ts'
import { userById, type UserRow } from '../../users/index.ts'
import { ImpersonationToken, ImpersonationTokenWithToken } from '../entity.ts'
import * as store from '../store.ts'
import { newToken } from './params.ts'
import { createToken, revoke } from './service.ts'

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
