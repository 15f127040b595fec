import type OAuth2Server from '@node-oauth/oauth2-server'

import type { Ctx } from '../../../../ctx.ts'
import { tx } from '../../../../db/database.ts'
import { isoTime } from '../../../../lib/clock.ts'
import { tokenDigest } from '../../../../lib/security/crypto.ts'
import { Failure } from '../../../../lib/fail.ts'
import { checkMayAct } from '../../credentials/account-state.ts'
import { userByPassword, type PasswordCredentials } from '../../sign_in/passwords.ts'
import { settingsOf } from '../../../settings/index.ts'
import { userById } from '../../../users/index.ts'
import type { ApplicationRow } from '../applications/store.ts'
import { grantedScopes, SCOPES } from '../scopes.ts'
import { authenticateClient } from './service.ts'
import * as store from './store.ts'
import { type TokenRow, grantByDigest, useGrant, type GrantRow } from './store.ts'

/** Lifetime of an access token in seconds (spec core 8.12). */
export const ACCESS_SECONDS = 7200

/** The id of the absent client. The password grant and the refresh of its tokens require no client. */
export const NO_CLIENT = 'none'

/** A time in the far future. The library compares it with the system clock; the model checks the real expiry. */
const NEVER = new Date(8.64e15)

type Client = OAuth2Server.Client & { application: ApplicationRow | undefined }

const WITH_CLIENT = ['authorization_code', 'refresh_token', 'password', 'client_credentials']
const WITHOUT_CLIENT = ['refresh_token', 'password']

/** An issued access token with its refresh token, in plain text. */
export interface IssuedToken extends OAuth2Server.Token {
  readonly row: TokenRow
  readonly grant: GrantRow | undefined
}

/** The model that the OAuth library calls, for one request. */
export type TokenModel = OAuth2Server.AuthorizationCodeModel &
  OAuth2Server.RefreshTokenModel &
  OAuth2Server.PasswordModel &
  OAuth2Server.ClientCredentialsModel

/** Returns true if the user of a code or token is active, or if it has no user. */
function isActive(ctx: Ctx, userId: number | null): boolean {
  return userId === null || userById(ctx.db, userId)?.state === 'active'
}

/**
 * Returns the model that stores and finds clients, codes and tokens for one token request. It checks all times and
 * secrets itself, because the library knows neither the instance's clock nor the digests. `withoutClient` means that
 * the request names no client and requires none.
 */
export function tokenModel(
  ctx: Ctx,
  request: { redirectUri: string | undefined; withoutClient: boolean; ip: string },
): TokenModel {
  let client: Client | undefined
  let grant: GrantRow | undefined
  let previous: TokenRow | undefined
  const randomToken = (): Promise<string> => Promise.resolve(ctx.random.hex(32))

  const model: Omit<TokenModel, 'getAccessToken' | 'saveAuthorizationCode'> = {
    generateAccessToken: randomToken,
    generateRefreshToken: randomToken,
    getClient(id, secret) {
      if (request.withoutClient) client = { id, grants: WITHOUT_CLIENT, application: undefined }
      else {
        const application = authenticateClient(ctx, { client_id: id, client_secret: secret })
        client = application && { id: String(application.id), grants: WITH_CLIENT, application }
      }
      return Promise.resolve(client)
    },
    getAuthorizationCode(code) {
      const row = grantByDigest(ctx.db, tokenDigest(code))
      if (!row || String(row.application_id) !== client?.id) return Promise.resolve(undefined)
      // A reused code may be stolen, so its tokens are revoked (RFC 6749, 4.1.2).
      if (row.used_at !== null) store.revokeTokensOfGrant(ctx.db, row.id, ctx.now)
      const isUsable =
        row.used_at === null && row.expires_at > ctx.now && row.redirect_uri === request.redirectUri
      if (!isUsable || !isActive(ctx, row.user_id)) return Promise.resolve(undefined)
      grant = row
      return Promise.resolve({
        authorizationCode: code,
        expiresAt: NEVER,
        redirectUri: row.redirect_uri,
        scope: row.scopes,
        client,
        user: { id: row.user_id },
        ...(row.code_challenge === null
          ? {}
          : { codeChallenge: row.code_challenge, codeChallengeMethod: row.code_challenge_method! }),
      })
    },
    revokeAuthorizationCode: () => Promise.resolve(useGrant(ctx.db, grant!.id, ctx.now)),
    getRefreshToken(refreshToken) {
      const row = store.byRefreshDigest(ctx.db, tokenDigest(refreshToken))
      const owner = row?.application_id === null ? NO_CLIENT : String(row?.application_id)
      if (!row || row.revoked_at !== null || owner !== client?.id || !isActive(ctx, row.user_id))
        return Promise.resolve(undefined)
      previous = row
      const scope = row.scopes
      return Promise.resolve({ refreshToken, scope, client, user: { id: row.user_id } })
    },
    // The old pair stays valid until the first use of the new one (spec core 8.12).
    revokeToken: () => Promise.resolve(true),
    getUser: (login, password) => userOfPassword(ctx, { login, password, ip: request.ip }),
    getUserFromClient: () => Promise.resolve({ id: null }),
    validateScope: (_user, { application }, scope) =>
      Promise.resolve(
        grant || previous ? scope : grantedScopes(scope, availableTo(application as ApplicationRow)),
      ),
    saveToken(token, { application }, user) {
      const id = (application as ApplicationRow | undefined)?.id ?? null
      const row = tx(ctx.db, () =>
        save(ctx, token, { application_id: id, user_id: user['id'], grant, previous }),
      )
      return Promise.resolve({ ...token, client: client!, user, row, grant })
    },
  }
  return model as TokenModel
}

function availableTo(application: ApplicationRow | undefined): string[] {
  return application ? application.scopes : Object.keys(SCOPES)
}

/**
 * Returns the user of the password grant; undefined for a wrong password. A blocked account fails like a wrong
 * password, so that the client learns nothing about accounts.
 */
async function userOfPassword(
  ctx: Ctx,
  credentials: PasswordCredentials,
): Promise<{ id: number } | undefined> {
  const settings = settingsOf(ctx)
  const isPasswordEnabled =
    settings.password_authentication_enabled_for_web || settings.password_authentication_enabled_for_git
  const user = isPasswordEnabled ? await userByPassword(ctx, credentials) : undefined
  if (!user || user.confirmed_at === null) return undefined
  try {
    checkMayAct(ctx, user)
  } catch (error) {
    if (error instanceof Failure) return undefined
    throw error
  }
  return { id: user.id }
}

function save(
  ctx: Ctx,
  token: OAuth2Server.Token,
  origin: {
    application_id: number | null
    user_id: number | null
    grant: GrantRow | undefined
    previous: TokenRow | undefined
  },
): TokenRow {
  const { application_id, user_id, grant, previous } = origin
  return store.insertToken(ctx.db, {
    application_id,
    user_id,
    grant_id: grant?.id ?? previous?.grant_id ?? null,
    previous_id: previous?.id ?? null,
    digest: tokenDigest(token.accessToken),
    refresh_digest: token.refreshToken ? tokenDigest(token.refreshToken) : null,
    scopes: token.scope ?? [],
    expires_at: isoTime(Date.parse(ctx.now) + ACCESS_SECONDS * 1000),
    created_at: ctx.now,
  })
}
