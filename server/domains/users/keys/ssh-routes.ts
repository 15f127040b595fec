import type { Ctx } from '../../../ctx.ts'
import { endpoint, type Endpoint } from '../../../http/endpoint.ts'
import { choice, int, text, timestamp } from '../../../http/params.ts'
import { created, noContent, ok, page } from '../../../http/returns.ts'
import { findByIdOrName, userOf } from '../service.ts'
import type { UserRow } from '../store.ts'
import { SSHKey, SSHKeyWithUser } from './entity.ts'
import { addKey, keyById, getKey, keyByFingerprint, removeKey } from './ssh-service.ts'
import * as store from './ssh-store.ts'

const key_id = int({ min: 1 }).describe('The ID of the key')
const newKeyParams = {
  title: text({ max: 255 }).describe('Title of the key'),
  key: text({ max: 16_384 }).describe('The public key, as in a `.pub` file'),
  expires_at: timestamp()
    .nullable()
    .optional()
    .describe('The expiry time of the key. By default the key does not expire'),
  usage_type: choice('auth_and_signing', 'auth', 'signing')
    .optional()
    .describe('The usage of the key. Defaults to `auth_and_signing`'),
}
const fails = { 400: 'The key is invalid, not allowed or in use' }

/**
 * Returns the endpoints of the SSH keys of the current user at `/user/keys`, or of any user at `/users/:user_id/keys`
 * (spec core 7.2, 7.3).
 */
function keyEndpoints(isOwn: boolean): Endpoint[] {
  const at = isOwn ? ('/user/keys' as const) : ('/users/:user_id/keys' as const)
  const ownerText = isOwn ? 'the current user' : 'a user'
  const ownerParam: { user_id?: ReturnType<typeof text> } = isOwn
    ? {}
    : { user_id: text({ max: 255 }).describe('The ID or username of the user') }
  const owner = (ctx: Ctx & { params: object }): UserRow =>
    isOwn ? userOf(ctx, ctx.actor.id!) : findByIdOrName(ctx, (ctx.params as { user_id: string }).user_id)
  const readAccess = isOwn ? ('signed_in' as const) : ('anyone' as const)
  const writeAccess = isOwn ? ('signed_in' as const) : ('admin' as const)
  return [
    endpoint(`GET ${at}`, {
      summary: `List the SSH keys of ${ownerText}`,
      can: readAccess,
      token: ['read_user'],
      params: ownerParam,
      pure: true,
      returns: page(SSHKey),
      run: (ctx) => store.listOf(ctx.db, owner(ctx).id, ctx.paging),
    }),
    endpoint(`GET ${at}/:key_id`, {
      summary: `Get an SSH key of ${ownerText}`,
      can: readAccess,
      token: ['read_user'],
      params: { ...ownerParam, key_id },
      pure: true,
      returns: ok(SSHKey),
      run: (ctx) => getKey(ctx, owner(ctx), ctx.params.key_id),
    }),
    endpoint(`POST ${at}`, {
      summary: `Add an SSH key for ${ownerText}`,
      can: writeAccess,
      params: { ...ownerParam, ...newKeyParams },
      fails,
      returns: created(SSHKey),
      run: (ctx) => addKey(ctx, owner(ctx), ctx.params),
    }),
    endpoint(`DELETE ${at}/:key_id`, {
      summary: `Delete an SSH key of ${ownerText}`,
      can: writeAccess,
      params: { ...ownerParam, key_id },
      returns: noContent,
      run: (ctx) => {
        const row = getKey(ctx, owner(ctx), ctx.params.key_id)
        ctx.http.unmodifiedSince(row.updated_at)
        removeKey(ctx, row)
      },
    }),
  ]
}

export const ownKeys = keyEndpoints(true)
export const keysOfUsers = keyEndpoints(false)

export const getAnyKey = endpoint('GET /keys/:id', {
  summary: 'Get an SSH key with its user',
  can: 'admin',
  params: { id: int({ min: 1 }).describe('The ID of the key') },
  pure: true,
  returns: ok(SSHKeyWithUser),
  run: ({ params, ...ctx }) => keyById(ctx, params.id),
})

export const findKey = endpoint('GET /keys', {
  summary: 'Find the user of an SSH key by its fingerprint',
  can: 'admin',
  params: {
    fingerprint: text({ max: 255 }).describe('The fingerprint: SHA256 as `SHA256:…`, or MD5 as `aa:bb:…`'),
  },
  fails: { 400: 'The fingerprint is invalid' },
  pure: true,
  returns: ok(SSHKeyWithUser),
  run: ({ params, ...ctx }) => keyByFingerprint(ctx, params.fingerprint),
})
