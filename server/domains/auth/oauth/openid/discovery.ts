import { GROUP_CLAIMS } from '../../../../http/aliases.ts'
import { SCOPES } from '../scopes.ts'

/** What this instance offers to OAuth and OpenID clients (spec core 8.12). */
export function discoveryDocument(url: string) {
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
