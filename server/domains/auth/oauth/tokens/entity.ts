import { z } from 'zod'

import { entity, time, row } from '../../../../http/entity.ts'
import type { ApplicationRow } from '../applications/store.ts'
import type { TokenWithApplication } from './service.ts'
import type { IssuedToken } from './model.ts'
import type { Authorization } from './store.ts'

const unixSeconds = (time: string): number => Math.floor(Date.parse(time) / 1000)

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
  ({ issued, id_token }: { issued: IssuedToken; id_token: string | undefined }) => ({
    access_token: issued.accessToken,
    token_type: 'Bearer' as const,
    expires_in: unixSeconds(issued.row.expires_at) - unixSeconds(issued.row.created_at),
    ...(issued.refreshToken ? { refresh_token: issued.refreshToken } : {}),
    scope: issued.row.scopes.join(' '),
    created_at: unixSeconds(issued.row.created_at),
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
    const secondsLeft = Math.max(0, unixSeconds(row.expires_at) - unixSeconds(at.now))
    return {
      resource_owner_id: row.user_id,
      scope: row.scopes,
      expires_in: secondsLeft,
      application: { uid: application?.uid ?? null },
      created_at: unixSeconds(row.created_at),
      scopes: row.scopes,
      expires_in_seconds: secondsLeft,
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
  ({ token }: { token: TokenWithApplication | undefined }) =>
    token
      ? {
          active: true,
          scope: token.row.scopes.join(' '),
          client_id: token.application?.uid ?? null,
          token_type: 'Bearer',
          // Refresh tokens do not expire.
          ...(token.isRefresh ? {} : { exp: unixSeconds(token.row.expires_at) }),
          iat: unixSeconds(token.row.created_at),
        }
      : { active: false },
)

/** The response to a revocation: an empty object. */
export const OAuthRevoked = entity('OAuthRevoked', {}, () => ({}))

/** An application, or a token without an application, that can act as the user. */
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
  row<Authorization & { application: ApplicationRow | undefined }>(),
  (row) => ({
    name: row.application?.name ?? null,
    scopes: JSON.parse(row.scopes) as string[],
  }),
)
