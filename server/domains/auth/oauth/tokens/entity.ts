import { z } from 'zod'

import { entity, time, row } from '../../../../http/entity.ts'
import type { ApplicationRow } from '../applications/store.ts'
import type { TokenWithApplication } from './service.ts'
import type { Issued } from './model.ts'
import type { Authorized } from './store.ts'

const unix = (time: string): number => Math.floor(Date.parse(time) / 1000)

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
    scope: issued.row.scopes.join(' '),
    created_at: unix(issued.row.created_at),
    ...(id_token ? { id_token } : {}),
  }),
)

/** Information about an access token for its bearer. */
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
  ({ row, application }: TokenWithApplication, at) => {
    const left = Math.max(0, unix(row.expires_at) - unix(at.now))
    return {
      resource_owner_id: row.user_id,
      scope: row.scopes,
      expires_in: left,
      application: { uid: application?.uid ?? null },
      created_at: unix(row.created_at),
      scopes: row.scopes,
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
  ({ found }: { found: TokenWithApplication | undefined }) =>
    found
      ? {
          active: true,
          scope: found.row.scopes.join(' '),
          client_id: found.application?.uid ?? null,
          token_type: 'Bearer',
          // Refresh tokens do not expire.
          ...(found.isRefresh ? {} : { exp: unix(found.row.expires_at) }),
          iat: unix(found.row.created_at),
        }
      : { active: false },
)

/** The empty object in the response to a revocation. */
export const OAuthRevoked = entity('OAuthRevoked', {}, () => ({}))

/** An application or token that can act as the user. */
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
  row<Authorized & { application: ApplicationRow | undefined }>(),
  (row) => ({
    name: row.application?.name ?? null,
    scopes: JSON.parse(row.scopes) as string[],
  }),
)
