import type { Ctx } from '../../../../ctx.ts'
import { endpoint, type Exchange } from '../../../../http/endpoint.ts'
import { text, int } from '../../../../http/params.ts'
import { ok, noContent, page } from '../../../../http/returns.ts'
import { Failure, notFound } from '../../../../lib/fail.ts'
import { userById } from '../../../users/index.ts'
import { limitFailures, wrongCredential } from '../../credentials/throttle.ts'
import { byIds } from '../applications/store.ts'
import { sharedClaims } from '../openid/claims.ts'
import { signToken } from '../openid/keys.ts'
import { isOAuthCode, missingParameter, oauthError, refusal } from '../refusals.ts'
import {
  basicCredentials,
  type ClientCredentials,
  findToken,
  introspect,
  isTokenValid,
  revokeToken,
  deauthorizeApplication,
  revokePasswordGrantToken,
} from './service.ts'
import {
  OAuthIntrospection,
  OAuthRevoked,
  OAuthToken,
  OAuthTokenInfo,
  AuthorizedApplication,
} from './entity.ts'
import { ACCESS_SECONDS, NO_CLIENT, tokenModel, type IssuedToken } from './model.ts'
import { authorizationsOf } from './store.ts'

export const listAuthorizedApplications = endpoint('GET /-/profile/authorized_applications', {
  summary: 'List the authorized applications of the current user',
  can: 'signed_in',
  returns: page(AuthorizedApplication, { paging: 'none' }),
  run: (ctx) => {
    const authorizations = authorizationsOf(ctx.db, ctx.actor.id!)
    const applications = byIds(
      ctx.db,
      authorizations.flatMap((row) => row.application_id ?? []),
    )
    const rows = authorizations.map((row) => ({
      ...row,
      application: row.application_id === null ? undefined : applications.get(row.application_id),
    }))
    return { rows, total: rows.length }
  },
})

export const revokeAuthorizedApplication = endpoint(
  'DELETE /-/profile/authorized_applications/:application_id',
  {
    summary: 'Revoke the authorization of an application',
    can: 'signed_in',
    params: { application_id: int({ min: 1 }).describe('The ID of the application') },
    returns: noContent,
    run: ({ params, ...ctx }) => {
      if (!deauthorizeApplication(ctx, params.application_id)) throw notFound('Application')
    },
  },
)

export const revokeAuthorizedToken = endpoint('DELETE /-/profile/authorized_tokens/:token_id', {
  summary: 'Revoke an OAuth token of the password grant',
  can: 'signed_in',
  params: { token_id: int({ min: 1 }).describe('The ID of the token') },
  returns: noContent,
  run: ({ params, ...ctx }) => {
    if (!revokePasswordGrantToken(ctx, params.token_id)) throw notFound('Token')
  },
})

const GRANT_TYPES = ['authorization_code', 'refresh_token', 'password', 'client_credentials']

/**
 * Options of the library. It does not require client authentication for three of the grants, because `tokenModel`
 * requires the secret of confidential clients.
 */
const SERVER_OPTIONS = {
  accessTokenLifetime: ACCESS_SECONDS,
  enablePlainPKCE: true,
  requireClientAuthentication: {
    authorization_code: false,
    refresh_token: false,
    password: false,
    client_credentials: true,
  },
}

/**
 * Handles a token request and returns a new pair of tokens. Throws 400 or 401 in the format of OAuth. `body` has the
 * parameters, whatever the content type of the request is. The library accepts only forms, so it gets the request as
 * a form.
 */
async function issueToken(
  ctx: Ctx,
  body: Readonly<Record<string, string | undefined>>,
  { authorization, ip }: { authorization: string; ip: string },
): Promise<IssuedToken> {
  const values = Object.fromEntries(
    Object.entries(body).filter(([, value]) => value !== undefined && value !== ''),
  ) as Record<string, string>
  if (!values['grant_type']) throw refusal(missingParameter('grant_type'))
  if (!GRANT_TYPES.includes(values['grant_type'])) throw refusal(oauthError('unsupported_grant_type'))
  const allowsNoClient = values['grant_type'] === 'password' || values['grant_type'] === 'refresh_token'
  const withoutClient = allowsNoClient && !values['client_id'] && !/^basic /i.test(authorization)
  // The library requires a client id.
  if (withoutClient) values['client_id'] = NO_CLIENT
  const model = tokenModel(ctx, { redirectUri: values['redirect_uri'], withoutClient, ip })
  // The library is loaded on the first token request, because most instances get none.
  const { default: OAuth2Server } = await import('@node-oauth/oauth2-server')
  const server = new OAuth2Server({ model })
  const request = new OAuth2Server.Request({
    method: 'POST',
    query: {},
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': '1',
      ...(authorization ? { authorization } : {}),
    },
    body: values,
  })
  try {
    return (await server.token(request, new OAuth2Server.Response(), SERVER_OPTIONS)) as IssuedToken
  } catch (error) {
    throw contractError(error)
  }
}

/** Returns an error of the library in the contract's format, and the model's own errors unchanged. */
function contractError(error: unknown): unknown {
  const { name, inner } = error as Error & { inner?: unknown }
  if (name === 'server_error') return inner ?? error
  return isOAuthCode(name) ? refusal(oauthError(name)) : error
}

/** Lifetime of an ID token in seconds. Clients verify it once, at sign-in. */
const ID_TOKEN_SECONDS = 600

/** Returns the signed ID token for a pair of tokens; undefined without the scope `openid` or without a client. */
async function idTokenFor(ctx: Ctx, { row, grant }: IssuedToken): Promise<string | undefined> {
  const scopes = new Set(row.scopes)
  const { user_id, application_id } = row
  if (!scopes.has('openid') || user_id === null || application_id === null) return undefined
  const user = userById(ctx.db, user_id)
  const application = byIds(ctx.db, [application_id]).get(application_id)
  if (!user || !application) return undefined
  const auth_time = Math.floor(Date.parse(user.current_sign_in_at ?? row.created_at) / 1000)
  const nonce = grant?.nonce ? { nonce: grant.nonce } : {}
  const claims = { ...sharedClaims(user, scopes), ...nonce, auth_time }
  const options = { subject: String(user.id), audience: application.uid, seconds: ID_TOKEN_SECONDS }
  return signToken(ctx, claims, options)
}

const client = {
  client_id: text({ max: 255 }).optional().describe('Identifier of the application'),
  client_secret: text({ max: 255 }).optional().describe('Secret of the application'),
}
const token = text({ max: 255 }).optional().describe('Access or refresh token')
const tokenType = text({ max: 255 }).optional().describe('The type of the token; ignored')

const fails = {
  400: 'The request is refused: `{"error": …, "error_description": …}`',
  429: 'Too many failures from this address',
}

/** Returns the credentials of a client. The header takes precedence over the body; a client must not use both. */
function clientCredentials(http: Exchange, params: ClientCredentials): ClientCredentials {
  return basicCredentials(http.header('authorization')) ?? params
}

/** Returns true for an error that a guess of a secret, a code or a password may have caused. */
function isGuess(error: unknown): boolean {
  const code = error instanceof Failure ? error.body?.['error'] : undefined
  return code === 'invalid_client' || code === 'invalid_grant' || code === 'unauthorized_client'
}

export const createToken = endpoint('POST /oauth/token', {
  summary: 'Request an access token',
  can: 'anyone',
  ignoresCredentials: true,
  volatile: true,
  params: {
    grant_type: text({ max: 255 }).optional().describe('The grant type'),
    code: text({ max: 255 }).optional().describe('Authorization code'),
    redirect_uri: text({ max: 2048 }).optional().describe('The redirect URI of the authorization request'),
    code_verifier: text({ max: 255 }).optional().describe('PKCE verifier'),
    refresh_token: text({ max: 255 }).optional().describe('Refresh token'),
    username: text({ max: 255 }).optional().describe('User name or email address'),
    password: text({ max: 1024 }).optional().describe('Password of the user'),
    scope: text({ max: 1024 }).optional().describe('The requested scopes, separated by spaces'),
    ...client,
  },
  fails,
  returns: ok(OAuthToken),
  run: ({ params, http, ...ctx }) =>
    limitFailures(
      ctx,
      http.ip,
      async () => {
        const issued = await issueToken(ctx, params, {
          authorization: http.header('authorization'),
          ip: http.ip,
        })
        return { issued, id_token: await idTokenFor(ctx, issued) }
      },
      isGuess,
    ),
})

export const getTokenInfo = endpoint('GET /oauth/token/info', {
  summary: 'Get information about an access token',
  can: 'anyone',
  ignoresCredentials: true,
  volatile: true,
  params: {
    access_token: text({ max: 255 }).optional().describe('The access token, if no header has it'),
  },
  fails: { 400: 'The token is unknown or invalid' },
  returns: ok(OAuthTokenInfo),
  run: ({ params, http, ...ctx }) => {
    const [, tokenText = params.access_token] =
      /^Bearer\s+(\S+)\s*$/i.exec(http.header('authorization')) ?? []
    const accessToken = tokenText ? findToken(ctx, tokenText) : undefined
    const failure = refusal(oauthError('invalid_request'))
    if (tokenText && !accessToken) throw wrongCredential(ctx, tokenText, failure)
    if (!accessToken || accessToken.isRefresh || !isTokenValid(ctx, accessToken)) throw failure
    return accessToken
  },
})

export const revoke = endpoint('POST /oauth/revoke', {
  summary: 'Revoke an OAuth token',
  can: 'anyone',
  ignoresCredentials: true,
  volatile: true,
  params: { token, token_type_hint: tokenType, ...client },
  fails,
  returns: ok(OAuthRevoked),
  run: ({ params, http, ...ctx }) =>
    limitFailures(
      ctx,
      http.ip,
      () =>
        Promise.resolve().then(() => {
          if (params.token) revokeToken(ctx, params.token, clientCredentials(http, params))
          return {}
        }),
      isGuess,
    ),
})

export const introspectToken = endpoint('POST /oauth/introspect', {
  summary: 'Introspect a token',
  can: 'anyone',
  ignoresCredentials: true,
  volatile: true,
  params: { token, token_type_hint: tokenType, ...client },
  fails,
  returns: ok(OAuthIntrospection),
  run: ({ params, http, ...ctx }) =>
    limitFailures(
      ctx,
      http.ip,
      () =>
        Promise.resolve().then(() => {
          const accessToken = introspect(ctx, params.token ?? '', clientCredentials(http, params))
          if (!params.token) throw refusal(missingParameter('token'))
          return { token: accessToken }
        }),
      isGuess,
    ),
})
