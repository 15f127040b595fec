import { Failure, type FailureKind } from '../../../lib/fail.ts'

/** Error codes of OAuth 2 with their descriptions (spec core 8.12). */
const DESCRIPTIONS = {
  invalid_request:
    'The request is missing a required parameter, includes an unsupported parameter value, or is otherwise malformed.',
  invalid_client:
    'Client authentication failed due to unknown client, no client authentication included, or unsupported authentication method.',
  invalid_grant:
    'The provided authorization grant is invalid, expired, revoked, does not match the redirection URI used in the authorization request, or was issued to another client.',
  invalid_scope: 'The requested scope is invalid, unknown, or malformed.',
  invalid_redirect_uri: "The requested redirect uri is malformed or doesn't match client redirect URI.",
  unauthorized_client: 'The client is not authorized to perform this request using this method.',
  unsupported_grant_type: 'The authorization grant type is not supported by the authorization server.',
  unsupported_response_type: 'The authorization server does not support this response type.',
  access_denied: 'The resource owner or authorization server denied the request.',
  login_required: 'The authorization server requires end-user authentication.',
  consent_required: 'The authorization server requires end-user consent.',
} as const

/** An error code of OAuth 2. */
export type OAuthCode = keyof typeof DESCRIPTIONS

/** The two fields of an OAuth error. */
export interface OAuthError {
  readonly error: OAuthCode
  readonly error_description: string
}

/** Returns the body of an error with a code. */
export function oauthError(error: OAuthCode, description: string = DESCRIPTIONS[error]): OAuthError {
  return { error, error_description: description }
}

/** Returns the body of the error for a missing parameter. */
export function missingParameter(name: string): OAuthError {
  return oauthError('invalid_request', `Missing required parameter: ${name}.`)
}

/** Returns a failure in the format of OAuth: 400, or 401 if the client authentication failed. */
export function refusal(error: OAuthError, kind?: FailureKind): Failure {
  const isClient = error.error === 'invalid_client'
  return new Failure(kind ?? (isClient ? 'unauthorized' : 'bad_request'), undefined, {
    body: { ...error },
    headers: isClient ? { 'WWW-Authenticate': 'Basic realm="OAuth 2.0"' } : {},
  })
}

/** Returns true for a known error code. */
export function isOAuthCode(word: string): word is OAuthCode {
  return Object.hasOwn(DESCRIPTIONS, word)
}
