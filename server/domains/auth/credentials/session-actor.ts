import type { Ctx } from '../../../ctx.ts'
import { SESSION_COOKIES } from '../../../lib/aliases.ts'
import type { Credentials } from '../../../http/request/exchange.ts'
import { isoTime } from '../../../lib/clock.ts'
import { sameText, tokenDigest } from '../../../lib/security/crypto.ts'
import type { UserActor } from '../../../policy/actor.ts'
import { settingsOf } from '../../settings/index.ts'
import { recordActivity } from '../../users/index.ts'
import { checkDuty, actorOf } from './account-state.ts'
import { adminModeOf } from './admin-mode.ts'
import { isTicket } from './file-tickets.ts'
import * as store from '../store.ts'

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Returns the session of a request's cookie; undefined if the cookie is invalid or the session has expired. */
function sessionOfCookie(ctx: Ctx, request: Pick<Credentials, 'cookie'>): store.SessionIdentity | undefined {
  const value = SESSION_COOKIES.map((name) => request.cookie(name)).find((cookie) => cookie !== undefined)
  if (!value) return undefined
  const digest = tokenDigest(value)
  const identity = ctx.db.rememberRows(`session:${digest}`, () => store.sessionIdentity(ctx.db, digest))
  return identity && identity.expires_at > ctx.now && identity.state === 'active' ? identity : undefined
}

/**
 * Returns true if the request has the token of its page in addition to the cookie. A browser sends the cookie to
 * every port of the host, but only the page knows the token. Writes always require it (spec core 8.4), reads require
 * it if the session belongs to a page. In URLs of files a ticket replaces it.
 */
function isFromItsPage(ctx: Ctx, request: Credentials, session: store.SessionIdentity): boolean {
  const { csrf_token } = session
  if (sameText(request.header('x-csrf-token'), csrf_token)) return true
  if (!SAFE_METHODS.has(request.method)) return false
  return !session.page_bound || isTicket(csrf_token, request.query['page_ticket'], ctx.now)
}

/**
 * Returns what the cookie of a request allows. `whole`: the request may read. `page`: the page must also send its
 * token. `none`: the cookie is invalid.
 */
export function cookieAccessOf(ctx: Ctx, request: Credentials): 'none' | 'page' | 'whole' {
  const session = sessionOfCookie(ctx, request)
  if (!session) return 'none'
  return isFromItsPage(ctx, request, session) ? 'whole' : 'page'
}

/**
 * Returns the actor of a session cookie; undefined if the cookie is invalid, or if the token of the page is required
 * and missing. Throws 403 if the user has a pending duty.
 */
export function actorOfSession(ctx: Ctx, request: Credentials): UserActor | undefined {
  const identity = sessionOfCookie(ctx, request)
  if (!identity || !isFromItsPage(ctx, request, identity)) return undefined
  if (!request.allowsRestrictedSession) checkDuty(ctx, identity)
  const expires = sessionEnd(ctx, identity)
  store.recordSessionUse(ctx, identity.session_id, expires)
  recordActivity(ctx, identity.user_id)
  const is_admin = adminModeOf(ctx, identity) === 'asleep' ? false : identity.is_admin
  return actorOf({ ...identity, is_admin }, { scopes: null, via: 'session', session_id: identity.session_id })
}

/** Days that a remembered user stays signed in without activity. */
export const REMEMBERED_DAYS = 14

/** The maximum lifetime of a session in days, regardless of activity. */
const MAX_DAYS = { remembered: 30, others: 14 } as const

/** Data for the expiry of a session. */
interface SessionLifetime {
  readonly created_at: string
  readonly remembered: boolean
}

/**
 * Returns the new expiry of a session that is used now. The setting `session_expire_delay` is the idle time in
 * minutes; 0 means "until the browser is closed", which the server limits to one day. Remembered sessions last
 * longer, if the settings allow it. A maximum lifetime limits all sessions, but it is never shorter than the idle
 * time in the settings.
 */
export function sessionEnd(ctx: Ctx, session: SessionLifetime): string {
  const { session_expire_delay: minutes, remember_me_enabled } = settingsOf(ctx)
  const isRemembered = session.remembered && remember_me_enabled
  const idleMinutes = Math.max(minutes === 0 ? 1440 : minutes, isRemembered ? REMEMBERED_DAYS * 1440 : 0)
  const maxMinutes = Math.max(minutes, MAX_DAYS[isRemembered ? 'remembered' : 'others'] * 1440)
  const limits = [
    Date.parse(ctx.now) + idleMinutes * 60_000,
    Date.parse(session.created_at) + maxMinutes * 60_000,
  ]
  return isoTime(Math.min(...limits))
}
