import type { Ctx } from '../../../../ctx.ts'
import { GROUP_CLAIMS } from '../../../../lib/aliases.ts'
import { endpoint, type Endpoint } from '../../../../http/endpoint.ts'
import { text } from '../../../../http/params.ts'
import { ok, raw } from '../../../../http/returns.ts'
import { Failure, fail } from '../../../../lib/fail.ts'
import { userById } from '../../../users/index.ts'
import { SCOPES } from '../scopes.ts'
import { userinfoOf } from './claims.ts'
import { publicKeys } from './keys.ts'
import { z } from 'zod'
import { entity } from '../../../../http/entity.ts'

const paths = z.array(z.string())

/** Claims of userinfo. */
interface UserinfoView {
  readonly sub: string
  readonly sub_legacy: string
  readonly name: string
  readonly nickname: string
  readonly preferred_username: string
  readonly email?: string
  readonly email_verified?: boolean
  readonly profile: string
  readonly picture?: string
  readonly website?: string
  readonly groups: string[]
}

/** The claims of userinfo (spec core 8.12). */
const OAuthUserinfo = entity(
  'OAuthUserinfo',
  {
    sub: z.string(),
    sub_legacy: z.string(),
    name: z.string(),
    nickname: z.string(),
    preferred_username: z.string(),
    email: z.string().optional(),
    email_verified: z.boolean().optional(),
    profile: z.string(),
    picture: z.string().optional(),
    website: z.string().optional(),
    groups: paths,
    [`${GROUP_CLAIMS}/owner`]: paths.optional(),
    [`${GROUP_CLAIMS}/maintainer`]: paths.optional(),
    [`${GROUP_CLAIMS}/developer`]: paths.optional(),
  },
  (claims: UserinfoView) => claims,
)

const jsonWebKey = z.strictObject({
  kty: z.string(),
  kid: z.string(),
  e: z.string(),
  n: z.string(),
  use: z.string(),
  alg: z.string(),
})

/** The keys that verify ID tokens. */
const JsonWebKeys = entity(
  'JsonWebKeys',
  { keys: z.array(jsonWebKey) },
  (view: { keys: z.input<typeof jsonWebKey>[] }) => view,
)

const strings = z.array(z.string())

const serverFields = {
  issuer: z.string(),
  authorization_endpoint: z.string(),
  token_endpoint: z.string(),
  revocation_endpoint: z.string(),
  introspection_endpoint: z.string(),
  userinfo_endpoint: z.string(),
  jwks_uri: z.string(),
  scopes_supported: strings,
  response_types_supported: strings,
  response_modes_supported: strings,
  grant_types_supported: strings,
  token_endpoint_auth_methods_supported: strings,
  subject_types_supported: strings,
  id_token_signing_alg_values_supported: strings,
  claim_types_supported: strings,
  claims_supported: strings,
  code_challenge_methods_supported: strings,
}

/** The configuration of the OpenID provider. */
const DiscoveryDocument = entity(
  'DiscoveryDocument',
  serverFields,
  (view: z.input<z.ZodObject<typeof serverFields>>) => view,
)

function userinfo(ctx: Ctx) {
  const { actor } = ctx
  // Only OAuth tokens are accepted. Pages of the window use the API instead.
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
  summary: 'Get the keys that verify ID tokens',
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

/** Returns the metadata for OAuth and OpenID clients (spec core 8.12). */
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
