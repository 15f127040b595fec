import type { Ctx } from '../../../../ctx.ts'
import { tx } from '../../../../db/database.ts'
import { publish } from '../../../../events/publish.ts'
import { isoTime } from '../../../../lib/clock.ts'
import { tokenDigest } from '../../../../lib/security/crypto.ts'
import { settingsOf } from '../../../settings/index.ts'
import { userById } from '../../../users/index.ts'
import { isRegistered, withParameters } from '../applications/redirects.ts'
import { byUid, type ApplicationRow } from '../applications/store.ts'
import { ApplicationAuthorized } from '../../events.ts'
import { missingParameter, oauthError, type OAuthError } from '../refusals.ts'
import { grantedScopes, scopeList } from '../scopes.ts'
import { activeScopes } from '../tokens/store.ts'
import * as store from '../tokens/store.ts'

/** Lifetime of an authorization code in milliseconds (spec core 8.12). */
const CODE_LIFETIME_MS = 10 * 60_000

/** Parameters of an authorization request. */
export interface AuthorizationParams {
  readonly client_id?: string
  readonly redirect_uri?: string
  readonly response_type?: string
  readonly scope?: string
  readonly state?: string
  readonly code_challenge?: string
  readonly code_challenge_method?: string
  readonly nonce?: string
}

/** A valid authorization request, which the user may have to approve. */
export interface Request {
  readonly kind: 'ask'
  readonly application: ApplicationRow
  readonly redirect_uri: string
  readonly scopes: readonly string[]
  readonly params: AuthorizationParams
}

/**
 * The result of checking a request: ask the user, redirect an error to the client, or show it to the user if the redirect
 * URI is not trusted.
 */
export type CheckResult =
  | Request
  | { readonly kind: 'redirect_error'; readonly redirect_to: string; readonly application: ApplicationRow }
  | { readonly kind: 'show_error'; readonly error: OAuthError }

/** Checks an authorization request in the order of RFC 6749, 4.1.2.1. */
export function checkRequest(ctx: Ctx, params: AuthorizationParams): CheckResult {
  const { client_id, redirect_uri } = params
  const showError = (error: OAuthError): CheckResult => ({ kind: 'show_error', error })
  if (!client_id) return showError(missingParameter('client_id'))
  const application = byUid(ctx.db, client_id)
  if (!application) return showError(oauthError('invalid_client'))
  if (!redirect_uri || !isRegistered(application.redirect_uri, redirect_uri))
    return showError(oauthError('invalid_redirect_uri'))
  const problem = parameterError(params)
  const scopes = grantedScopes(scopeList(params.scope ?? ''), application.scopes)
  const error = problem ?? (scopes ? adminScopeError(ctx, application, scopes) : oauthError('invalid_scope'))
  if (error) {
    const redirect_to = withParameters(redirect_uri, { ...error, state: params.state })
    return { kind: 'redirect_error', redirect_to, application }
  }
  return { kind: 'ask', application, redirect_uri, scopes: scopes!, params }
}

/** Scopes that only identify the user. */
const IDENTITY_SCOPES = new Set(['read_user', 'openid', 'profile', 'email'])

/** Returns the error for an administrator whom a setting allows to authorize only trusted applications. */
function adminScopeError(
  ctx: Ctx,
  { trusted }: ApplicationRow,
  scopes: readonly string[],
): OAuthError | undefined {
  if (trusted || !settingsOf(ctx).disable_admin_oauth_scopes) return undefined
  const { id } = ctx.actor
  const isAdmin = id !== null && userById(ctx.db, id)?.is_admin === true
  return isAdmin && scopes.some((scope) => !IDENTITY_SCOPES.has(scope))
    ? oauthError('access_denied')
    : undefined
}

function parameterError(params: AuthorizationParams): OAuthError | undefined {
  if (!params.response_type) return missingParameter('response_type')
  if (params.response_type !== 'code') return oauthError('unsupported_response_type')
  const { code_challenge, code_challenge_method: method } = params
  if (code_challenge === undefined)
    return method === undefined ? undefined : missingParameter('code_challenge')
  if (method !== undefined && method !== 'plain' && method !== 'S256')
    return oauthError('invalid_request', 'The code challenge method must be plain or S256.')
  // Format of a verifier or its hash (RFC 7636, 4.2).
  return /^[A-Za-z0-9._~-]{43,128}$/.test(code_challenge)
    ? undefined
    : oauthError('invalid_request', 'The code challenge is not well-formed.')
}

/**
 * Returns true if the user must consent: not for trusted applications, and not for a confidential application that
 * already has the scopes.
 */
export function needsConsent(ctx: Ctx, { application, scopes }: Request): boolean {
  if (application.trusted) return false
  if (!application.confidential) return true
  const activeScopeLists = activeScopes(ctx.db, application.id, ctx.actor.id!)
  return !activeScopeLists.some((granted) => scopes.every((scope) => granted.includes(scope)))
}

/** Creates an authorization code for the user. Returns the URL to redirect the browser to. */
export function approve(ctx: Ctx, { application, redirect_uri, scopes, params }: Request): string {
  const code = ctx.random.hex(32)
  const user_id = ctx.actor.id!
  tx(ctx.db, () => {
    store.insertGrant(ctx.db, {
      application_id: application.id,
      user_id,
      digest: tokenDigest(code),
      redirect_uri,
      scopes: [...scopes],
      code_challenge: params.code_challenge ?? null,
      code_challenge_method: params.code_challenge
        ? params.code_challenge_method === 'S256'
          ? 'S256'
          : 'plain'
        : null,
      nonce: params.nonce ?? null,
      expires_at: isoTime(Date.parse(ctx.now) + CODE_LIFETIME_MS),
      created_at: ctx.now,
    })
    publish(ctx, ApplicationAuthorized, { application_id: application.id, user_id, scopes: [...scopes] })
  })
  return withParameters(redirect_uri, { code, state: params.state })
}

/** Returns the URL that redirects an error to the client, for example after the user denied the request. */
export function errorRedirect({ redirect_uri, params }: Request, error: OAuthError): string {
  return withParameters(redirect_uri, { ...error, state: params.state })
}
