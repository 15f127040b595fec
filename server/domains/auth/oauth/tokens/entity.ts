import { z } from 'zod'

import { entity, time } from '../../../../http/entity.ts'
import type { ApplicationRow } from '../applications/store.ts'
import type { Found } from './inspect.ts'
import type { Issued } from './model.ts'
import type { Authorized } from './store.ts'

const unix = (time: string): number => Math.floor(Date.parse(time) / 1000)
const scopesOf = (row: { scopes: string }): string[] => JSON.parse(row.scopes) as string[]

/** The answer to a token request (spec core 8.12). */
export const OAuthToken = entity(
  'OAuthToken',
  {
    access_token: z.string(),
    token_type: z.literal('Bearer'),
    expires_in: z.int(),
    refresh_token: z.string().optional(),
    scope: z.string(),
    created_at: z.int(),
    id_token: z.string().optional(),
  },
  ({ issued, id_token }: { issued: Issued; id_token: string | undefined }) => ({
    access_token: issued.accessToken,
    token_type: 'Bearer' as const,
    expires_in: unix(issued.row.expires_at) - unix(issued.row.created_at),
    ...(issued.refreshToken ? { refresh_token: issued.refreshToken } : {}),
    scope: scopesOf(issued.row).join(' '),
    created_at: unix(issued.row.created_at),
    ...(id_token ? { id_token } : {}),
  }),
)

/** What an access token is, told to whoever has it. */
export const OAuthTokenInfo = entity(
  'OAuthTokenInfo',
  {
    resource_owner_id: z.int().nullable(),
    scope: z.array(z.string()),
    expires_in: z.int(),
    application: z.strictObject({ uid: z.string().nullable() }),
    created_at: z.int(),
    scopes: z.array(z.string()),
    expires_in_seconds: z.int(),
  },
  ({ row, application }: Found, at) => {
    const left = Math.max(0, unix(row.expires_at) - unix(at.now))
    return {
      resource_owner_id: row.user_id,
      scope: scopesOf(row),
      expires_in: left,
      application: { uid: application?.uid ?? null },
      created_at: unix(row.created_at),
      scopes: scopesOf(row),
      expires_in_seconds: left,
    }
  },
)

/** The answer of introspection (RFC 7662). */
export const OAuthIntrospection = entity(
  'OAuthIntrospection',
  {
    active: z.boolean(),
    scope: z.string().optional(),
    client_id: z.string().nullable().optional(),
    token_type: z.string().optional(),
    exp: z.int().optional(),
    iat: z.int().optional(),
  },
  ({ found }: { found: Found | undefined }) =>
    found
      ? {
          active: true,
          scope: scopesOf(found.row).join(' '),
          client_id: found.application?.uid ?? null,
          token_type: 'Bearer',
          // A refresh token has no end of its own.
          ...(found.isRefresh ? {} : { exp: unix(found.row.expires_at) }),
          iat: unix(found.row.created_at),
        }
      : { active: false },
)

/** Nothing, as an object: what revoking answers. */
export const OAuthRevoked = entity('OAuthRevoked', {}, () => ({}))

/** Something that may act in the user's name. */
export const AuthorizedApplication = entity(
  'AuthorizedApplication',
  {
    application_id: z.int().nullable(),
    token_id: z.int().nullable(),
    name: z.string().nullable(),
    scopes: z.array(z.string()),
    created_at: time(),
    last_used_at: time().nullable(),
  },
  (row: Authorized & { application: ApplicationRow | undefined }) => ({
    application_id: row.application_id,
    token_id: row.token_id,
    name: row.application?.name ?? null,
    scopes: scopesOf(row),
    created_at: row.created_at,
    last_used_at: row.last_used_at,
  }),
)
