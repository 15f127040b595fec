import { z } from 'zod'

import { entity } from '../../../../http/entity.ts'
import { GROUP_CLAIMS } from '../../../../lib/aliases.ts'

const paths = z.array(z.string())

/** Claims of userinfo. */
export interface UserinfoView {
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
export const OAuthUserinfo = entity(
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
export const JsonWebKeys = entity(
  'JsonWebKeys',
  { keys: z.array(jsonWebKey) },
  (view: { keys: z.input<typeof jsonWebKey>[] }) => view,
)

const words = z.array(z.string())

const serverFields = {
  issuer: z.string(),
  authorization_endpoint: z.string(),
  token_endpoint: z.string(),
  revocation_endpoint: z.string(),
  introspection_endpoint: z.string(),
  userinfo_endpoint: z.string(),
  jwks_uri: z.string(),
  scopes_supported: words,
  response_types_supported: words,
  response_modes_supported: words,
  grant_types_supported: words,
  token_endpoint_auth_methods_supported: words,
  subject_types_supported: words,
  id_token_signing_alg_values_supported: words,
  claim_types_supported: words,
  claims_supported: words,
  code_challenge_methods_supported: words,
}

/** The configuration of the OpenID provider. */
export const DiscoveryDocument = entity(
  'DiscoveryDocument',
  serverFields,
  (view: z.input<z.ZodObject<typeof serverFields>>) => view,
)
