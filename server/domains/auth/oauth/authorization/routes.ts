import { z } from 'zod'

import type { Ctx } from '../../../../ctx.ts'
import { endpoint } from '../../../../http/endpoint.ts'
import { bool, text } from '../../../../http/params.ts'
import { ok, raw, type RawAnswer } from '../../../../http/returns.ts'
import { fail } from '../../../../lib/fail.ts'
import { dutyOf } from '../../credentials/account-state.ts'
import { userById } from '../../../users/index.ts'
import { oauthError, refusal, type OAuthError } from '../refusals.ts'
import { approve, checkRequest, needsConsent, errorRedirect } from './service.ts'
import { entity, row } from '../../../../http/entity.ts'
import type { ApplicationRow } from '../applications/store.ts'
import { SCOPES } from '../scopes.ts'

/** Data of the consent page. */
interface AuthorizationView {
  readonly application: ApplicationRow | undefined
  readonly scopes: readonly string[]
  readonly redirect_uri: string | null
  readonly consent_needed: boolean
  readonly redirect_to: string | null
  readonly error: OAuthError | null
}

const errorFields = z.strictObject({ error: z.string(), error_description: z.string() })

/**
 * An authorization request for the consent page, or its error. With `redirect_to` the window redirects at once;
 * without `consent_needed` it approves without asking the user.
 */
const OAuthAuthorization = entity(
  'OAuthAuthorization',
  {
    application: z
      .strictObject({ name: z.string(), trusted: z.boolean(), confidential: z.boolean() })
      .nullable(),
    scopes: z.array(z.strictObject({ name: z.string(), description: z.string() })),
    redirect_host: z.string().nullable(),
    redirect_uri: z.string().nullable(),
    consent_needed: z.boolean(),
    redirect_to: z.string().nullable(),
    error: errorFields.nullable(),
  },
  row<AuthorizationView>(),
  (view) => ({
    application: view.application
      ? {
          name: view.application.name,
          trusted: view.application.trusted,
          confidential: view.application.confidential,
        }
      : null,
    scopes: view.scopes.map((name) => ({ name, description: SCOPES[name as keyof typeof SCOPES] ?? name })),
    redirect_host: view.redirect_uri === null ? null : hostOf(view.redirect_uri),
  }),
)

/** Returns the host of a URL, or its scheme if it has no host (`com.example.app:`). */
function hostOf(uri: string): string {
  const url = URL.parse(uri)
  return url ? url.host || url.protocol : uri
}

/** The URL to which the window redirects after the decision. */
const OAuthDecision = entity(
  'OAuthDecision',
  { redirect_to: z.string() },
  (decision: { redirect_to: string }) => decision,
)

const authorizationParams = {
  client_id: text({ max: 255 }).optional().describe('Identifier of the application'),
  redirect_uri: text({ max: 2048 }).optional().describe('The registered redirect URI'),
  response_type: text({ max: 255 }).optional().describe('`code`'),
  scope: text({ max: 1024 }).optional().describe('The requested scopes, separated by spaces'),
  state: text({ max: 4096 }).optional().describe('Returned unchanged'),
  code_challenge: text({ max: 255 }).optional().describe('PKCE challenge'),
  code_challenge_method: text({ max: 255 }).optional().describe('`S256` or `plain`'),
  nonce: text({ max: 1024 }).optional().describe('Returned in the ID token'),
}

/**
 * Returns true for a session of the window. Only sessions can authorize; otherwise a token could gain more scopes
 * than it has.
 */
function isWindowSession(ctx: Ctx): boolean {
  return ctx.actor.kind === 'user' && ctx.actor.via === 'session'
}

const prompt = text({ max: 255 }).optional().describe('`none`: never ask for consent. `consent`: always ask')

function redirect(to: string): RawAnswer {
  return { type: 'text/plain; charset=utf-8', body: 'Found\n', headers: { Location: to } }
}

export const authorize = endpoint('GET /oauth/authorize', {
  summary: 'Request authorization for an application',
  can: 'anyone',
  token: ['any'],
  allowsRestrictedSession: true,
  params: { ...authorizationParams, prompt },
  returns: { ...raw, status: 302 },
  run: ({ params, http, ...ctx }) => {
    const { prompt: input, ...request } = params
    const query = http.target.includes('?') ? http.target.slice(http.target.indexOf('?')) : ''
    // The window's page at this URL shows the request, and errors that must not be sent to the client.
    const page = `/-/oauth/authorization${query}`
    const result = checkRequest(ctx, request)
    if (!isWindowSession(ctx)) {
      if (input === 'none' && result.kind === 'ask')
        return redirect(errorRedirect(result, oauthError('login_required')))
      return redirect(`/users/sign_in?redirect=${encodeURIComponent(page)}`)
    }
    if (result.kind === 'show_error' || dutyOf(ctx, userById(ctx.db, ctx.actor.id!)!)) return redirect(page)
    if (result.kind === 'redirect_error') return redirect(result.redirect_to)
    const asksUser = input === 'consent' || needsConsent(ctx, result)
    if (!asksUser) return redirect(approve(ctx, result))
    return redirect(input === 'none' ? errorRedirect(result, oauthError('consent_required')) : page)
  },
})

export const getAuthorization = endpoint('GET /-/oauth/authorization', {
  summary: 'Get the authorization request for the consent page',
  can: 'signed_in',
  volatile: true,
  params: { ...authorizationParams, prompt },
  returns: ok(OAuthAuthorization),
  run: ({ params, ...ctx }): AuthorizationView => {
    if (!isWindowSession(ctx)) throw fail('forbidden')
    const { prompt: input, ...request } = params
    const checked = checkRequest(ctx, request)
    const emptyView = {
      application: undefined,
      scopes: [],
      redirect_uri: null,
      redirect_to: null,
      error: null,
    }
    if (checked.kind === 'show_error') return { ...emptyView, consent_needed: false, error: checked.error }
    const { application } = checked
    if (checked.kind === 'redirect_error')
      return { ...emptyView, application, consent_needed: false, redirect_to: checked.redirect_to }
    const { scopes, redirect_uri } = checked
    const consent_needed = input === 'consent' || needsConsent(ctx, checked)
    return { ...emptyView, application, scopes, redirect_uri, consent_needed }
  },
})

export const decideAuthorization = endpoint('POST /-/oauth/authorization', {
  summary: 'Authorize or deny an application',
  can: 'signed_in',
  volatile: true,
  params: { ...authorizationParams, approve: bool().describe('Whether the user consents') },
  fails: { 400: 'The authorization request is invalid' },
  returns: ok(OAuthDecision),
  run: ({ params, ...ctx }) => {
    if (!isWindowSession(ctx)) throw fail('forbidden')
    const { approve: isApproved, ...request } = params
    const checked = checkRequest(ctx, request)
    if (checked.kind === 'show_error') throw refusal(checked.error, 'bad_request')
    if (checked.kind === 'redirect_error') return { redirect_to: checked.redirect_to }
    return {
      redirect_to: isApproved ? approve(ctx, checked) : errorRedirect(checked, oauthError('access_denied')),
    }
  },
})
