import type { Ctx } from '../../ctx.ts'
import { SESSION_COOKIES } from '../../lib/aliases.ts'
import type { Credentials } from '../../http/pipeline.ts'
import { isoTime } from '../../lib/clock.ts'
import { sameText, tokenDigest } from '../../lib/security/crypto.ts'
import type { UserActor } from '../../policy/actor.ts'
import { settingsOf } from '../settings/index.ts'
import { checkDuty } from './account-state.ts'
import { adminModeOf } from './admin-mode.ts'
import { isTicket } from './file-tickets.ts'
import { actorOf, noteActivity } from './identity.ts'
import * as store from './store.ts'

const READS = new Set(['GET', 'HEAD', 'OPTIONS'])

/** The session of the cookie that a request shows, while it lasts. */
function sessionShown(ctx: Ctx, request: Pick<Credentials, 'cookie'>): store.SessionIdentity | undefined {
  const value = SESSION_COOKIES.map((name) => request.cookie(name)).find((cookie) => cookie !== undefined)
  if (!value) return undefined
  const digest = tokenDigest(value)
  const found = ctx.db.remember(`session:${digest}`, () => store.sessionIdentity(ctx.db, digest))
  return found && found.expires_at > ctx.now && found.state === 'active' ? found : undefined
}

/**
 * True when more than the cookie says that a request comes from where somebody signed in. A browser hands the cookie to
 * every port of the host; the token of the page stays with the page. Writes show it in any case (spec core 8.4), reads
 * where the session belongs to a page; in an address a ticket stands for it.
 */
function isFromItsPage(ctx: Ctx, request: Credentials, session: store.SessionIdentity): boolean {
  const { csrf_token } = session
  if (sameText(request.header('x-csrf-token'), csrf_token)) return true
  if (!READS.has(request.method)) return false
  return !session.page_bound || isTicket(csrf_token, request.query['page_ticket'], ctx.now)
}

/**
 * What a cookie alone is good for: `page` where the page of its session has the other half of what is needed, `whole`
 * where it is all that is needed to read, `none` where it does not hold.
 */
export function standingOf(ctx: Ctx, request: Credentials): 'none' | 'page' | 'whole' {
  const session = sessionShown(ctx, request)
  if (!session) return 'none'
  return isFromItsPage(ctx, request, session) ? 'whole' : 'page'
}

/**
 * The actor of a session cookie; undefined when it does not hold, or counts for nothing without what its page knows.
 * Throws 403 where the user has to do something else first.
 */
export function actorOfSession(ctx: Ctx, request: Credentials): UserActor | undefined {
  const found = sessionShown(ctx, request)
  if (!found || !isFromItsPage(ctx, request, found)) return undefined
  if (!request.whileBarred) checkDuty(ctx, found)
  const expires = sessionEnd(ctx, found)
  const sql = 'UPDATE sessions SET last_seen_at = ?, expires_at = ? WHERE id = ?'
  ctx.bookkeeping.note(`session-seen:${found.session_id}`, sql, ctx.now, expires, found.session_id)
  noteActivity(ctx, found.user_id)
  const is_admin = adminModeOf(ctx, found) === 'asleep' ? false : found.is_admin
  return actorOf({ ...found, is_admin }, { scopes: null, via: 'session', session_id: found.session_id })
}

/** Days for which somebody who asked to be remembered stays signed in without coming back. */
export const REMEMBERED_DAYS = 14

/** Days after which everybody signs in once more, however often they came back. */
const LONGEST_DAYS = { remembered: 30, others: 14 } as const

/** What the end of a session follows from. */
interface Lasting {
  readonly created_at: string
  readonly remembered: boolean
}

/**
 * When a session that is used now ends. A delay of 0 means "when the browser is closed", kept for a day. Who asked to be
 * remembered has longer, where the settings allow that. No session outlives its longest time, which is never shorter than
 * the delay that the settings name.
 */
export function sessionEnd(ctx: Ctx, session: Lasting): string {
  const { session_expire_delay: minutes, remember_me_enabled } = settingsOf(ctx)
  const isRemembered = session.remembered && remember_me_enabled
  const idle = Math.max(minutes === 0 ? 1440 : minutes, isRemembered ? REMEMBERED_DAYS * 1440 : 0)
  const longest = Math.max(minutes, LONGEST_DAYS[isRemembered ? 'remembered' : 'others'] * 1440)
  const ends = [Date.parse(ctx.now) + idle * 60_000, Date.parse(session.created_at) + longest * 60_000]
  return isoTime(Math.min(...ends))
}
