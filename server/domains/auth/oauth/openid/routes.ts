import type { Ctx } from '../../../../ctx.ts'
import { GROUP_CLAIMS } from '../../../../lib/aliases.ts'
import { endpoint, type Endpoint } from '../../../../http/endpoint.ts'
import { text } from '../../../../http/params.ts'
import { ok, raw } from '../../../../http/returns.ts'
import { Failure, fail } from '../../../../lib/fail.ts'
import { userById } from '../../../users/index.ts'
import { SCOPES } from '../scopes.ts'
import { userinfoOf } from './claims.ts'
import { DiscoveryDocument, JsonWebKeys, OAuthUserinfo } from './entity.ts'
import { publicKeys } from './keys.ts'

function userinfo(ctx: Ctx) {
  const { actor } = ctx
  // Only OAuth tokens: pages of the window use the API instead.
  if (actor.kind !== 'user' || actor.scopes === null) throw fail('unauthorized')
  if (!actor.scopes.has('openid')) {
    const error_description = 'The request requires higher privileges than provided by the access token.'
    const body = { error: 'insufficient_scope', error_description, scope: 'openid' }
    throw new Failure('forbidden', undefined, { body })
  }
  return userinfoOf(ctx, userById(ctx.db, actor.id)!, actor.scopes)
}

const declaration = {
  summary: 'Get the user information (OpenID Connect)',
  can: 'signed_in',
  token: ['any'],
  volatile: true,
  returns: ok(OAuthUserinfo),
  run: userinfo,
} as const

export const userinfoRoutes: Endpoint[] = [
  endpoint('GET /oauth/userinfo', declaration),
  endpoint('POST /oauth/userinfo', declaration),
]

export const getKeys = endpoint('GET /oauth/discovery/keys', {
  summary: 'Get the keys that verify id tokens',
  can: 'anyone',
  ignoresCredentials: true,
  returns: ok(JsonWebKeys),
  run: async (ctx) => ({ keys: await publicKeys(ctx) }),
})

export const getOpenIdConfiguration = endpoint('GET /.well-known/openid-configuration', {
  summary: 'Get the OpenID Connect configuration',
  can: 'anyone',
  ignoresCredentials: true,
  returns: ok(DiscoveryDocument),
  run: (ctx) => discoveryDocument(ctx.config.url),
})

export const getAuthorizationServer = endpoint('GET /.well-known/oauth-authorization-server', {
  summary: 'Get the OAuth authorization server metadata',
  can: 'anyone',
  ignoresCredentials: true,
  returns: ok(DiscoveryDocument),
  run: (ctx) => discoveryDocument(ctx.config.url),
})

export const webfinger = endpoint('GET /.well-known/webfinger', {
  summary: 'Find the OpenID issuer (WebFinger)',
  can: 'anyone',
  ignoresCredentials: true,
  params: { resource: text({ max: 2048, notEmpty: true }).describe('The account: `acct:name@host`') },
  returns: raw,
  run: ({ params, ...ctx }) => ({
    type: 'application/jrd+json',
    body: JSON.stringify({
      subject: params.resource,
      links: [{ rel: 'http://openid.net/specs/connect/1.0/issuer', href: ctx.config.url }],
    }),
  }),
})

/** Metadata for OAuth and OpenID clients (spec core 8.12). */
function discoveryDocument(url: string) {
  return {
    issuer: url,
    authorization_endpoint: `${url}/oauth/authorize`,
    token_endpoint: `${url}/oauth/token`,
    revocation_endpoint: `${url}/oauth/revoke`,
    introspection_endpoint: `${url}/oauth/introspect`,
    userinfo_endpoint: `${url}/oauth/userinfo`,
    jwks_uri: `${url}/oauth/discovery/keys`,
    scopes_supported: Object.keys(SCOPES),
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'password', 'client_credentials', 'refresh_token'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    claim_types_supported: ['normal'],
    claims_supported: [
      'iss',
      'sub',
      'aud',
      'exp',
      'iat',
      'auth_time',
      'nonce',
      'sub_legacy',
      'name',
      'nickname',
      'preferred_username',
      'email',
      'email_verified',
      'website',
      'profile',
      'picture',
      'groups',
      `${GROUP_CLAIMS}/owner`,
      `${GROUP_CLAIMS}/maintainer`,
      `${GROUP_CLAIMS}/developer`,
    ],
    code_challenge_methods_supported: ['plain', 'S256'],
  }
}
