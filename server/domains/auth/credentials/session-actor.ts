import type { Ctx } from '../../../ctx.ts'
import { SESSION_COOKIES } from '../../../lib/aliases.ts'
import type { Credentials } from '../../../http/request/credentials.ts'
import { isoTime } from '../../../lib/clock.ts'
import { sameText, tokenDigest } from '../../../lib/security/crypto.ts'
import type { UserActor } from '../../../policy/actor.ts'
import { settingsOf } from '../../settings/index.ts'
import { noteActivity } from '../../users/index.ts'
import { checkDuty, actorOf } from './account-state.ts'
import { adminModeOf } from './admin-mode.ts'
import { isTicket } from './file-tickets.ts'
import * as store from '../store.ts'

const READS = new Set(['GET', 'HEAD', 'OPTIONS'])

/** The valid session of a request's cookie. */
function sessionOfCookie(ctx: Ctx, request: Pick<Credentials, 'cookie'>): store.SessionIdentity | undefined {
  const value = SESSION_COOKIES.map((name) => request.cookie(name)).find((cookie) => cookie !== undefined)
  if (!value) return undefined
  const digest = tokenDigest(value)
  const identity = ctx.db.rememberRows(`session:${digest}`, () => store.sessionIdentity(ctx.db, digest))
  return identity && identity.expires_at > ctx.now && identity.state === 'active' ? identity : undefined
}

/**
 * True if the request has the token of the page in addition to the cookie. A browser sends the cookie to every port of
 * the host, but the token stays with the page. Writes always need it (spec core 8.4), reads if the session belongs to a
 * page. In URLs of files a ticket replaces it.
 */
function isFromItsPage(ctx: Ctx, request: Credentials, session: store.SessionIdentity): boolean {
  const { csrf_token } = session
  if (sameText(request.header('x-csrf-token'), csrf_token)) return true
  if (!READS.has(request.method)) return false
  return !session.page_bound || isTicket(csrf_token, request.query['page_ticket'], ctx.now)
}

/**
 * What a cookie alone allows: `page`: the page of its session must also send its token; `whole`: the cookie is enough
 * to read; `none`: it is invalid.
 */
export function cookieAccessOf(ctx: Ctx, request: Credentials): 'none' | 'page' | 'whole' {
  const session = sessionOfCookie(ctx, request)
  if (!session) return 'none'
  return isFromItsPage(ctx, request, session) ? 'whole' : 'page'
}

/**
 * The actor of a session cookie. Undefined if it is invalid, or if the required token of the page is missing. Throws
 * 403 if the user has a pending duty.
 */
export function actorOfSession(ctx: Ctx, request: Credentials): UserActor | undefined {
  const identity = sessionOfCookie(ctx, request)
  if (!identity || !isFromItsPage(ctx, request, identity)) return undefined
  if (!request.whileBarred) checkDuty(ctx, identity)
  const expires = sessionEnd(ctx, identity)
  store.noteSessionUse(ctx, identity.session_id, expires)
  noteActivity(ctx, identity.user_id)
  const is_admin = adminModeOf(ctx, identity) === 'asleep' ? false : identity.is_admin
  return actorOf({ ...identity, is_admin }, { scopes: null, via: 'session', session_id: identity.session_id })
}

/** Days that a remembered user stays signed in without activity. */
export const REMEMBERED_DAYS = 14

/** The maximum lifetime of a session in days, regardless of activity. */
const LONGEST_DAYS = { remembered: 30, others: 14 } as const

/** Data for the expiry of a session. */
interface SessionLifetime {
  readonly created_at: string
  readonly remembered: boolean
}

/**
 * Returns the expiry of a session that is used now. A delay of 0 means "until the browser is closed" and lasts a day.
 * Remembered sessions last longer, if the settings allow it. The longest lifetime limits all sessions, but is never
 * shorter than the delay in the settings.
 */
export function sessionEnd(ctx: Ctx, session: SessionLifetime): string {
  const { session_expire_delay: minutes, remember_me_enabled } = settingsOf(ctx)
  const isRemembered = session.remembered && remember_me_enabled
  const idle = Math.max(minutes === 0 ? 1440 : minutes, isRemembered ? REMEMBERED_DAYS * 1440 : 0)
  const longest = Math.max(minutes, LONGEST_DAYS[isRemembered ? 'remembered' : 'others'] * 1440)
  const ends = [Date.parse(ctx.now) + idle * 60_000, Date.parse(session.created_at) + longest * 60_000]
  return isoTime(Math.min(...ends))
}
