import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { isoDate } from '../../../lib/clock.ts'
import { tokenDigest } from '../../../lib/security/crypto.ts'
import { fail, Failure } from '../../../lib/fail.ts'
import type { UserActor } from '../../../policy/actor.ts'
import { settingsOf } from '../../settings/index.ts'
import { noteActivity } from '../../users/index.ts'
import { mayAdminister } from './admin-mode.ts'
import { checkMayAct, actorOf } from './account-state.ts'
import { TokenRevoked } from '../events.ts'
import * as store from '../store.ts'
import * as oauth from '../store-oauth.ts'

const REVOKED = 'Token was revoked. You have to re-authorize from the user.'
const EXPIRED = 'Token is expired. You can either do re-authorization or token refresh.'
const IMPERSONATION_OFF = 'Token is an impersonation token but impersonation was disabled.'

/** 401 in the format of OAuth with its header (spec core 8.4). */
function refuseToken(description: string): Failure {
  return new Failure('unauthorized', undefined, {
    body: { error: 'invalid_token', error_description: description },
    headers: {
      'WWW-Authenticate': `Bearer realm="Protected by OAuth 2.0", error="invalid_token", error_description="${description}"`,
    },
  })
}

/**
 * The actor of a personal access token. Undefined for an unknown one. Throws 401 for a revoked or expired one, and for an
 * impersonation token if they are disabled; 403 for an account that cannot act.
 */
export function actorOfPersonalToken(ctx: Ctx, token: string): UserActor | undefined {
  const digest = tokenDigest(token)
  const identity = ctx.db.rememberRows(`token:${digest}`, () => store.tokenIdentity(ctx.db, digest))
  if (!identity || isDisabled(ctx, identity)) return undefined
  if (identity.revoked) {
    revokeLine(ctx, identity)
    throw refuseToken(REVOKED)
  }
  if (identity.expires_at && identity.expires_at <= isoDate(ctx.now)) throw refuseToken(EXPIRED)
  if (identity.impersonation && !ctx.config.impersonation) throw refuseToken(IMPERSONATION_OFF)
  checkMayAct(ctx, identity)
  store.noteTokenUse(ctx, identity.token_id)
  noteActivity(ctx, identity.user_id)
  const scopes = new Set(identity.scopes)
  const is_admin = mayAdminister(ctx, scopes) && identity.is_admin
  return actorOf({ ...identity, is_admin }, { scopes, via: 'token', token_id: identity.token_id })
}

/** If personal access tokens are disabled, existing tokens of users are invalid. Bots keep theirs. */
function isDisabled(ctx: Ctx, { bot }: store.TokenIdentity): boolean {
  return !bot && settingsOf(ctx).disable_personal_access_tokens
}

/** The reuse of a rotated token means that it leaked: all its successors are revoked (spec core 7.4). */
function revokeLine(ctx: Ctx, identity: store.TokenIdentity): void {
  const heirs = ctx.db.remember(`token-heirs:${identity.token_id}`, () =>
    store.activeSuccessors(ctx.db, identity.token_id),
  )
  if (heirs.length === 0) return
  tx(ctx.db, () => {
    for (const token_id of heirs) {
      store.revokeToken(ctx.db, token_id)
      publish(ctx, TokenRevoked, { token_id, user_id: identity.user_id, actor_id: null })
    }
  })
  ctx.log.warn({ token_id: identity.token_id, revoked: heirs }, 'a rotated token was used again')
}

/**
 * The actor of an OAuth access token. Undefined for an unknown one. Throws 401 for a revoked or expired one and for one without
 * a user (client credentials), 403 for an account that cannot act.
 */
export function actorOfOAuthToken(ctx: Ctx, token: string): UserActor | undefined {
  const digest = tokenDigest(token)
  const jobToken = ctx.db.rememberRows(`oauth:${digest}`, () => oauth.oauthIdentity(ctx.db, digest))
  if (!jobToken) return undefined
  if (jobToken.revoked_at) throw refuseToken(REVOKED)
  if (jobToken.expires_at <= ctx.now) throw refuseToken(EXPIRED)
  if (jobToken.user_id === null) throw fail('unauthorized')
  const identity = { ...jobToken, user_id: jobToken.user_id }
  checkMayAct(ctx, identity)
  if (jobToken.last_used_at === null) oauth.noteFirstUse(ctx, jobToken)
  else oauth.noteUse(ctx, jobToken.oauth_token_id)
  noteActivity(ctx, identity.user_id)
  const scopes = new Set(jobToken.scopes)
  const is_admin = mayAdminister(ctx, scopes) && identity.is_admin
  return actorOf({ ...identity, is_admin }, { scopes, via: 'token' })
}

/**
 * The actor of a CI job token: the user who started the job, while it runs. Undefined for an invalid token. Throws 403 for an
 * account that cannot act. `scopes` limits the token in addition to each endpoint's own limit.
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
