import type { Ctx } from '../../../ctx.ts'
import { endpoint, type Endpoint } from '../../../http/endpoint.ts'
import { int, text } from '../../../http/params.ts'
import { accepted, created, noContent, ok, page } from '../../../http/returns.ts'
import { userOf } from '../service.ts'
import type { UserRow } from '../store.ts'
import { GpgKey } from './entity.ts'
import { addKey, getKey, removeKey, revokeKey } from './gpg-service.ts'
import * as store from './gpg-store.ts'

const key_id = int({ min: 1 }).describe('The ID of the key')

/** Returns the endpoints of the GPG keys of the current user, or of any user (spec core 7.2, 7.3). */
function keyEndpoints(isOwn: boolean): Endpoint[] {
  const at = isOwn ? ('/user/gpg_keys' as const) : ('/users/:user_id/gpg_keys' as const)
  const ownerText = isOwn ? 'the current user' : 'a user'
  const ownerParam: { user_id?: ReturnType<typeof int> } = isOwn
    ? {}
    : { user_id: int({ min: 1 }).describe('The ID of the user') }
  const owner = (ctx: Ctx & { params: object }): UserRow =>
    userOf(ctx, isOwn ? ctx.actor.id! : (ctx.params as { user_id: number }).user_id)
  const readAccess = isOwn ? ('signed_in' as const) : ('anyone' as const)
  const writeAccess = isOwn ? ('signed_in' as const) : ('admin' as const)
  return [
    endpoint(`GET ${at}`, {
      summary: `List the GPG keys of ${ownerText}`,
      can: readAccess,
      token: ['read_user'],
      params: ownerParam,
      pure: true,
      returns: page(GpgKey),
      run: (ctx) => store.listOf(ctx.db, owner(ctx).id, ctx.paging),
    }),
    endpoint(`GET ${at}/:key_id`, {
      summary: `Get a GPG key of ${ownerText}`,
      can: readAccess,
      token: ['read_user'],
      params: { ...ownerParam, key_id },
      pure: true,
      returns: ok(GpgKey),
      run: (ctx) => getKey(ctx, owner(ctx), ctx.params.key_id),
    }),
    endpoint(`POST ${at}`, {
      summary: `Add a GPG key for ${ownerText}`,
      can: writeAccess,
      params: { ...ownerParam, key: text({ max: 262_144 }).describe('The public key in ASCII armor') },
      fails: { 400: 'The key is invalid or taken' },
      returns: created(GpgKey),
      run: (ctx) => addKey(ctx, owner(ctx), ctx.params.key),
    }),
    endpoint(`DELETE ${at}/:key_id`, {
      summary: `Delete a GPG key of ${ownerText}`,
      can: writeAccess,
      params: { ...ownerParam, key_id },
      returns: noContent,
      run: (ctx) => {
        const row = getKey(ctx, owner(ctx), ctx.params.key_id)
        ctx.http.unmodifiedSince(row.created_at)
        removeKey(ctx, row)
      },
    }),
    endpoint(`POST ${at}/:key_id/revoke`, {
      summary: `Revoke a GPG key of ${ownerText} and invalidate its signatures`,
      can: writeAccess,
      params: { ...ownerParam, key_id },
      returns: accepted,
      run: (ctx) => revokeKey(ctx, getKey(ctx, owner(ctx), ctx.params.key_id)),
    }),
  ]
}

export const ownKeys = keyEndpoints(true)
export const keysOfUsers = keyEndpoints(false)
