import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { isoDate } from '../../../lib/clock.ts'
import { tokenDigest } from '../../../lib/security/crypto.ts'
import { fail, Failure } from '../../../lib/fail.ts'
import type { UserActor } from '../../../policy/actor.ts'
import { settingsOf } from '../../settings/index.ts'
import { recordActivity } from '../../users/index.ts'
import { mayAdminister } from './admin-mode.ts'
import { checkMayAct, actorOf } from './account-state.ts'
import { TokenRevoked } from '../events.ts'
import * as store from '../store.ts'
import * as oauth from '../oauth/tokens/store.ts'

const REVOKED = 'Token was revoked. You have to re-authorize from the user.'
const EXPIRED = 'Token is expired. You can either do re-authorization or token refresh.'
const IMPERSONATION_OFF = 'Token is an impersonation token but impersonation was disabled.'

/** Returns a 401 error in the format of OAuth, with its header (spec core 8.4). */
function invalidToken(description: string): Failure {
  return new Failure('unauthorized', undefined, {
    body: { error: 'invalid_token', error_description: description },
    headers: {
      'WWW-Authenticate': `Bearer realm="Protected by OAuth 2.0", error="invalid_token", error_description="${description}"`,
    },
  })
}

/**
 * Returns the actor of a personal access token; undefined for an unknown token. Throws 401 for a revoked or expired
 * token, and for an impersonation token if impersonation is disabled; 403 for an account that cannot act.
 */
export function actorOfPersonalToken(ctx: Ctx, token: string): UserActor | undefined {
  const digest = tokenDigest(token)
  const identity = ctx.db.rememberRows(`token:${digest}`, () => store.tokenIdentity(ctx.db, digest))
  if (!identity || isDisabled(ctx, identity)) return undefined
  if (identity.revoked) {
    revokeSuccessors(ctx, identity)
    throw invalidToken(REVOKED)
  }
  if (identity.expires_at && identity.expires_at <= isoDate(ctx.now)) throw invalidToken(EXPIRED)
  if (identity.impersonation && !ctx.config.impersonation) throw invalidToken(IMPERSONATION_OFF)
  checkMayAct(ctx, identity)
  store.recordTokenUse(ctx, identity.token_id)
  recordActivity(ctx, identity.user_id)
  const scopes = new Set(identity.scopes)
  const is_admin = mayAdminister(ctx, scopes) && identity.is_admin
  return actorOf({ ...identity, is_admin }, { scopes, via: 'token', token_id: identity.token_id })
}

/** Returns true if personal access tokens are disabled and the token belongs to a user. Tokens of bots stay valid. */
function isDisabled(ctx: Ctx, { bot }: store.TokenIdentity): boolean {
  return !bot && settingsOf(ctx).disable_personal_access_tokens
}

/**
 * Revokes the active successors of a rotated token that was used again, because it may have leaked (spec core 7.4).
 */
function revokeSuccessors(ctx: Ctx, identity: store.TokenIdentity): void {
  const successors = ctx.db.remember(`token-successors:${identity.token_id}`, () =>
    store.activeSuccessors(ctx.db, identity.token_id),
  )
  if (successors.length === 0) return
  tx(ctx.db, () => {
    for (const token_id of successors) {
      store.revokeToken(ctx.db, token_id)
      publish(ctx, TokenRevoked, { token_id, user_id: identity.user_id, actor_id: null })
    }
  })
  ctx.log.warn({ token_id: identity.token_id, revoked: successors }, 'a rotated token was used again')
}

/**
 * Returns the actor of an OAuth access token; undefined for an unknown token. Throws 401 for a revoked or expired
 * token, and for a token without a user (client credentials); 403 for an account that cannot act.
 */
export function actorOfOAuthToken(ctx: Ctx, token: string): UserActor | undefined {
  const digest = tokenDigest(token)
  const oauthToken = ctx.db.rememberRows(`oauth:${digest}`, () => oauth.oauthIdentity(ctx.db, digest))
  if (!oauthToken) return undefined
  if (oauthToken.revoked_at) throw invalidToken(REVOKED)
  if (oauthToken.expires_at <= ctx.now) throw invalidToken(EXPIRED)
  if (oauthToken.user_id === null) throw fail('unauthorized')
  const identity = { ...oauthToken, user_id: oauthToken.user_id }
  checkMayAct(ctx, identity)
  if (oauthToken.last_used_at === null) oauth.recordFirstUse(ctx, oauthToken)
  else oauth.recordUse(ctx, oauthToken.oauth_token_id)
  recordActivity(ctx, identity.user_id)
  const scopes = new Set(oauthToken.scopes)
  const is_admin = mayAdminister(ctx, scopes) && identity.is_admin
  return actorOf({ ...identity, is_admin }, { scopes, via: 'token' })
}

/**
 * Returns the actor of a CI job token: the user who started the job, while it runs. Returns undefined for an invalid
 * token. Throws 403 for an account that cannot act. `scopes` restricts the actor in addition to the check of each
 * endpoint.
 */
export function actorOfJobToken(
  ctx: Ctx,
  token: string,
  scopes: ReadonlySet<string> | null = null,
): UserActor | undefined {
  const identity = store.jobIdentity(ctx.db, tokenDigest(token))
  if (!identity) return undefined
  checkMayAct(ctx, identity)
  const job = { id: identity.job_id, project_id: identity.project_id, isConfined: identity.is_confined }
  return { ...actorOf(identity, { scopes, via: 'job' }), job }
}
