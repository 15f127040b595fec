import type { Ctx } from '../../../../ctx.ts'
import { tx } from '../../../../db/database.ts'
import { publish } from '../../../../events/publish.ts'
import { isoTime } from '../../../../lib/clock.ts'
import { tokenDigest } from '../../../../lib/security/crypto.ts'
import { settingsOf } from '../../../settings/index.ts'
import { userById } from '../../../users/index.ts'
import { isRegistered, withParameters } from '../applications/redirects.ts'
import { byUid, type ApplicationRow } from '../applications/store.ts'
import { ApplicationAuthorized } from '../events.ts'
import { missing, oauthError, type OAuthError } from '../refusals.ts'
import { grantedScopes, scopeList } from '../scopes.ts'
import { liveScopes } from '../tokens/store.ts'
import * as store from './store.ts'

/** Minutes that a code can be exchanged (spec core 8.12). */
const CODE_MS = 10 * 60_000

/** What an authorization request says. */
export interface Asked {
  readonly client_id?: string
  readonly redirect_uri?: string
  readonly response_type?: string
  readonly scope?: string
  readonly state?: string
  readonly code_challenge?: string
  readonly code_challenge_method?: string
  readonly nonce?: string
}

/** A request that can be put to the user. */
export interface Request {
  readonly kind: 'ask'
  readonly application: ApplicationRow
  readonly redirect_uri: string
  readonly scopes: readonly string[]
  readonly asked: Asked
}

/**
 * What becomes of a request: it is put to the user, the client is told what is wrong at its address, or, where that address
 * cannot be trusted, the user is.
 */
export type Checked =
  | Request
  | { readonly kind: 'tell_client'; readonly redirect_to: string; readonly application: ApplicationRow }
  | { readonly kind: 'tell_user'; readonly error: OAuthError }

/** Checks an authorization request in the order of RFC 6749, 4.1.2.1. */
export function checkRequest(ctx: Ctx, asked: Asked): Checked {
  const { client_id, redirect_uri } = asked
  const tellUser = (error: OAuthError): Checked => ({ kind: 'tell_user', error })
  if (!client_id) return tellUser(missing('client_id'))
  const application = byUid(ctx.db, client_id)
  if (!application) return tellUser(oauthError('invalid_client'))
  if (!redirect_uri || !isRegistered(application.redirect_uri, redirect_uri))
    return tellUser(oauthError('invalid_redirect_uri'))
  const problem = problemOf(asked)
  const scopes = grantedScopes(scopeList(asked.scope ?? ''), JSON.parse(application.scopes) as string[])
  const error = problem ?? (scopes ? lendingProblem(ctx, application, scopes) : oauthError('invalid_scope'))
  if (error) {
    const redirect_to = withParameters(redirect_uri, { ...error, state: asked.state })
    return { kind: 'tell_client', redirect_to, application }
  }
  return { kind: 'ask', application, redirect_uri, scopes: scopes!, asked }
}

/** Scopes that say who somebody is and let nobody act for them. */
const HARMLESS = new Set(['read_user', 'openid', 'profile', 'email'])

/** Administrators lend their rights to trusted applications alone, where the settings say so. */
function lendingProblem(
  ctx: Ctx,
  { trusted }: ApplicationRow,
  scopes: readonly string[],
): OAuthError | undefined {
  if (trusted || !settingsOf(ctx).disable_admin_oauth_scopes) return undefined
  const { id } = ctx.actor
  const isAdmin = id !== null && userById(ctx.db, id)?.is_admin === true
  return isAdmin && scopes.some((scope) => !HARMLESS.has(scope)) ? oauthError('access_denied') : undefined
}

function problemOf(asked: Asked): OAuthError | undefined {
  if (!asked.response_type) return missing('response_type')
  if (asked.response_type !== 'code') return oauthError('unsupported_response_type')
  const { code_challenge, code_challenge_method: method } = asked
  if (code_challenge === undefined) return method === undefined ? undefined : missing('code_challenge')
  if (method !== undefined && method !== 'plain' && method !== 'S256')
    return oauthError('invalid_request', 'The code challenge method must be plain or S256.')
  // RFC 7636, 4.2: what a verifier, or its hash, looks like.
  return /^[A-Za-z0-9._~-]{43,128}$/.test(code_challenge)
    ? undefined
    : oauthError('invalid_request', 'The code challenge is not well-formed.')
}

/**
 * True when the user has to be asked: not for trusted applications, nor for one that can prove who it is (it has a secret)
 * and already holds what it asks for.
 */
export function needsConsent(ctx: Ctx, { application, scopes }: Request): boolean {
  if (application.trusted) return false
  if (!application.confidential) return true
  const held = liveScopes(ctx.db, application.id, ctx.actor.id!)
  return !held.some((one) => scopes.every((scope) => one.includes(scope)))
}

/** Gives a code in the user's name; the address to send the browser to. */
export function approve(ctx: Ctx, { application, redirect_uri, scopes, asked }: Request): string {
  const code = ctx.random.hex(32)
  const user_id = ctx.actor.id!
  tx(ctx.db, () => {
    store.insertGrant(ctx.db, {
      application_id: application.id,
      user_id,
      digest: tokenDigest(code),
      redirect_uri,
      scopes: JSON.stringify(scopes),
      code_challenge: asked.code_challenge ?? null,
      code_challenge_method: asked.code_challenge ? (asked.code_challenge_method ?? 'plain') : null,
      nonce: asked.nonce ?? null,
      expires_at: isoTime(Date.parse(ctx.now) + CODE_MS),
      created_at: ctx.now,
    })
    publish(ctx, ApplicationAuthorized, { application_id: application.id, user_id, scopes: [...scopes] })
  })
  return withParameters(redirect_uri, { code, state: asked.state })
}

/** Tells the client that it gets nothing; the address to send the browser to. */
export function refuseClient({ redirect_uri, asked }: Request, error: OAuthError): string {
  return withParameters(redirect_uri, { ...error, state: asked.state })
}
