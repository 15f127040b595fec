import { endpoint, type Exchange } from '../../../../http/endpoint.ts'
import { text } from '../../../../http/params.ts'
import { ok } from '../../../../http/returns.ts'
import { Failure } from '../../../../lib/fail.ts'
import { guarded } from '../../throttle.ts'
import { wrongCredential } from '../../wrong-credential.ts'
import { idTokenFor } from '../openid/id-token.ts'
import { missing, oauthError, refusal } from '../refusals.ts'
import { basicCredentials, type ClientCredentials } from './clients.ts'
import { OAuthIntrospection, OAuthRevoked, OAuthToken, OAuthTokenInfo } from './entity.ts'
import { findToken, introspect, isLive, revokeToken } from './inspect.ts'
import { issueToken } from './issue.ts'

const client = {
  client_id: text({ max: 255 }).optional().describe('Identifier of the application'),
  client_secret: text({ max: 255 }).optional().describe('Secret of the application'),
}
const token = text({ max: 255 }).optional().describe('Access or refresh token')
const tokenType = text({ max: 255 }).optional().describe('Kind of the token; found out anyway')

const fails = {
  400: 'The request cannot be granted: `{"error": …, "error_description": …}`',
  429: 'Too many failures from this address',
}

/** What a client shows: Basic wins over the body, as one of the two is all it may use. */
function shownBy(http: Exchange, params: ClientCredentials): ClientCredentials {
  return basicCredentials(http.header('authorization')) ?? params
}

/** Failures that can be guesses at a secret, a code or a password. */
function isGuess(error: unknown): boolean {
  const code = error instanceof Failure ? error.body?.['error'] : undefined
  return code === 'invalid_client' || code === 'invalid_grant' || code === 'unauthorized_client'
}

export const createToken = endpoint('POST /oauth/token', {
  summary: 'Get a pair of tokens for a code, a refresh token, a password, or the client itself',
  can: 'anyone',
  openly: true,
  volatile: true,
  params: {
    grant_type: text({ max: 255 }).optional().describe('What is offered for the tokens'),
    code: text({ max: 255 }).optional().describe('Authorization code'),
    redirect_uri: text({ max: 2048 }).optional().describe('Where the code was sent'),
    code_verifier: text({ max: 255 }).optional().describe('PKCE verifier'),
    refresh_token: text({ max: 255 }).optional().describe('Refresh token'),
    username: text({ max: 255 }).optional().describe('User name or e-mail address'),
    password: text({ max: 1024 }).optional().describe('Password of the user'),
    scope: text({ max: 1024 }).optional().describe('What is asked for, apart by blanks'),
    ...client,
  },
  fails,
  returns: ok(OAuthToken),
  run: ({ params, http, ...ctx }) =>
    guarded(
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
  summary: 'What an access token is',
  can: 'anyone',
  openly: true,
  volatile: true,
  params: {
    access_token: text({ max: 255 }).optional().describe('Access token, unless it is in the header'),
  },
  fails: { 400: 'There is no such token' },
  returns: ok(OAuthTokenInfo),
  run: ({ params, http, ...ctx }) => {
    const [, shown = params.access_token] = /^Bearer\s+(\S+)\s*$/i.exec(http.header('authorization')) ?? []
    const found = shown ? findToken(ctx, shown) : undefined
    const wrong = refusal(oauthError('invalid_request'))
    if (shown && !found) throw wrongCredential(ctx, shown, wrong)
    if (!found || found.isRefresh || !isLive(ctx, found)) throw wrong
    return found
  },
})

export const revoke = endpoint('POST /oauth/revoke', {
  summary: 'Revoke a pair of tokens',
  can: 'anyone',
  openly: true,
  volatile: true,
  params: { token, token_type_hint: tokenType, ...client },
  fails,
  returns: ok(OAuthRevoked),
  run: ({ params, http, ...ctx }) =>
    guarded(
      ctx,
      http.ip,
      () =>
        Promise.resolve().then(() => {
          if (params.token) revokeToken(ctx, params.token, shownBy(http, params))
          return {}
        }),
      isGuess,
    ),
})

export const introspectToken = endpoint('POST /oauth/introspect', {
  summary: 'Tell an application about one of its tokens',
  can: 'anyone',
  openly: true,
  volatile: true,
  params: { token, token_type_hint: tokenType, ...client },
  fails,
  returns: ok(OAuthIntrospection),
  run: ({ params, http, ...ctx }) =>
    guarded(
      ctx,
      http.ip,
      () =>
        Promise.resolve().then(() => {
          const found = introspect(ctx, params.token ?? '', shownBy(http, params))
          if (!params.token) throw refusal(missing('token'))
          return { found }
        }),
      isGuess,
    ),
})
