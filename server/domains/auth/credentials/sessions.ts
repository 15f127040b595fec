import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import type { Exchange } from '../../../http/endpoint.ts'
import { SESSION_COOKIES } from '../../../lib/aliases.ts'
import { tokenDigest } from '../../../lib/security/crypto.ts'
import { fail } from '../../../lib/fail.ts'
import { settingsOf } from '../../settings/index.ts'
import {
  hasPasswords,
  updateUser,
  userById,
  withDetails,
  type UserRow,
  firstAdmin,
} from '../../users/index.ts'
import { dutyOf } from './account-state.ts'
import { adminModeOf, type AdminMode } from './admin-mode.ts'
import { ticketOf } from './file-tickets.ts'
import { maintenanceOf } from '../service.ts'
import { REMEMBERED_DAYS, sessionEnd } from './session-actor.ts'
import type { SessionState } from '../entity.ts'
import { SignedIn } from '../events.ts'
import * as store from '../store.ts'

/** A new session with the value of its cookie. The database has only a digest of it. */
export interface OpenSession {
  id: number
  cookie: string
}

/** Creates a session of a user and records the sign-in. */
export function openSession(
  ctx: Ctx,
  user: UserRow,
  from: { ip: string; user_agent: string; isRemembered?: boolean; isPage?: boolean },
): OpenSession {
  const cookie = ctx.random.token(43)
  const csrf_token = ctx.random.token(43)
  return tx(ctx.db, () => {
    const is_known = isKnown(ctx, user, from.ip)
    const id = store.insertSession(ctx.db, {
      user_id: user.id,
      digest: tokenDigest(cookie),
      csrf_token,
      user_agent: from.user_agent.slice(0, 512),
      ip: from.ip,
      created_at: ctx.now,
      last_seen_at: ctx.now,
      expires_at: sessionEnd(ctx, { created_at: ctx.now, remembered: from.isRemembered ?? false }),
      remembered: from.isRemembered ?? false,
      page_bound: from.isPage ?? false,
    })
    updateUser(ctx.db, user.id, {
      sign_in_count: user.sign_in_count + 1,
      last_sign_in_at: user.current_sign_in_at,
      last_sign_in_ip: user.current_sign_in_ip,
      current_sign_in_at: ctx.now,
      current_sign_in_ip: from.ip,
    })
    publish(ctx, SignedIn, { user_id: user.id, session_id: id, ip: from.ip, at: ctx.now, is_known })
    return { id, cookie }
  })
}

/** Returns true for an IP address that the user recently signed in from, and for the first sign-in of an account. */
function isKnown(ctx: Ctx, user: UserRow, ip: string): boolean {
  if (user.sign_in_count === 0 || ip === user.current_sign_in_ip || ip === user.last_sign_in_ip) return true
  return store.hasSessionFrom(ctx.db, user.id, ip, ctx.now)
}

/** Returns the lifetime of the cookie in seconds; 0 means until the browser is closed. */
function cookieAge(ctx: Ctx, isRemembered: boolean): number {
  const { session_expire_delay, remember_me_enabled } = settingsOf(ctx)
  const age = session_expire_delay * 60
  return isRemembered && remember_me_enabled ? Math.max(age, REMEMBERED_DAYS * 86_400) : age
}

/**
 * Returns true for a browser: it sends one of these headers with every write, and pages cannot suppress them. Other
 * programs do not send them.
 */
function isBrowser(http: Exchange): boolean {
  return http.header('origin') !== '' || http.header('sec-fetch-site') !== ''
}

/**
 * Creates a session for the caller and sets its cookie. In a browser the session belongs to the page, because browsers
 * send cookies to every port of the host.
 */
export function createSession(ctx: Ctx, http: Exchange, user: UserRow, isRemembered = false): OpenSession {
  const from = {
    ip: http.ip,
    user_agent: http.header('user-agent'),
    isRemembered,
    isPage: isBrowser(http),
  }
  const session = openSession(ctx, user, from)
  const age = cookieAge(ctx, isRemembered)
  const secure = http.secure ? '; Secure' : ''
  const maxAge = age > 0 ? `; Max-Age=${age}` : ''
  http.set(
    'Set-Cookie',
    `${SESSION_COOKIES[0]}=${session.cookie}; Path=/; HttpOnly; SameSite=Lax${maxAge}${secure}`,
  )
  return session
}

/**
 * Ends the session of the caller and deletes its cookie. Throws 401 for a valid cookie with an invalid CSRF token,
 * because the session would remain valid.
 */
export function endSession(ctx: Ctx, http: Exchange): void {
  const id = ctx.actor.kind === 'user' ? ctx.actor.session_id : undefined
  if (id !== undefined) store.removeSession(ctx.db, id)
  else if (SESSION_COOKIES.some((name) => isValidCookie(ctx, http.cookie(name)))) throw fail('unauthorized')
  for (const name of SESSION_COOKIES)
    http.set('Set-Cookie', `${name}=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0`)
}

function isValidCookie(ctx: Ctx, cookie: string | undefined): boolean {
  const identity = cookie ? store.sessionIdentity(ctx.db, tokenDigest(cookie)) : undefined
  return identity !== undefined && identity.expires_at > ctx.now
}

/** Returns true until a user has a password. Until then the window shows the first-run page. */
export function isFirstRun(ctx: Ctx): boolean {
  return !hasPasswords(ctx.db)
}

/** The tokens that a page sends with its session cookie. `file_ticket` is set if URLs of files require it. */
type PageTokens = Pick<SessionState, 'csrf_token' | 'file_ticket'>

const NO_PAGE_TOKENS: PageTokens = { csrf_token: null, file_ticket: null }

/** Returns the signed-in user and the state of the instance for the window. */
export function sessionState(
  ctx: Ctx,
  userId: number | null,
  page: PageTokens = NO_PAGE_TOKENS,
): SessionState {
  const settings = settingsOf(ctx)
  const row = userId === null ? undefined : userById(ctx.db, userId)
  return {
    user: row && withDetails(ctx.db, row),
    admin_mode: adminModeOfSession(ctx, row),
    ...page,
    duty: (row && dutyOf(ctx, row)) ?? null,
    terms: settings.enforce_terms ? settings.terms : null,
    first_run: isFirstRun(ctx),
    instance: {
      name: 'Deskforge',
      version: ctx.config.version,
      url: ctx.config.url,
      sign_up_enabled: canSignUp(ctx),
      sign_in_text: settings.sign_in_text,
      after_sign_up_text: settings.after_sign_up_text,
      after_sign_out_path: settings.after_sign_out_path,
      password_sign_in: settings.password_authentication_enabled_for_web,
      remember_me: settings.remember_me_enabled,
      minimum_password_length: settings.minimum_password_length,
      maintenance: maintenanceOf(ctx),
      clock: { mode: ctx.clock.mode, now: ctx.now },
    },
  }
}

/** Returns true if sign-up is enabled and users can sign in with a password. */
export function canSignUp(ctx: Ctx): boolean {
  const { signup_enabled, password_authentication_enabled_for_web } = settingsOf(ctx)
  return signup_enabled && password_authentication_enabled_for_web
}

function adminModeOfSession(ctx: Ctx, row: UserRow | undefined): AdminMode {
  const { actor } = ctx
  if (!row || actor.kind !== 'user' || actor.session_id === undefined || actor.id !== row.id)
    return row?.is_admin === true && settingsOf(ctx).admin_mode ? 'asleep' : 'none'
  const admin_until = store.adminUntil(ctx.db, actor.session_id)
  return adminModeOf(ctx, { is_admin: row.is_admin, admin_until })
}

/** Returns the tokens for the page of the actor's session. */
export function pageTokensOfCaller(ctx: Ctx): PageTokens {
  const id = ctx.actor.kind === 'user' ? ctx.actor.session_id : undefined
  return id === undefined ? NO_PAGE_TOKENS : pageTokensOf(ctx, id)
}

/** Returns the tokens for the page of a session. */
export function pageTokensOf(ctx: Ctx, sessionId: number): PageTokens {
  const pageToken = store.pageToken(ctx.db, sessionId)
  if (!pageToken) return NO_PAGE_TOKENS
  const { csrf_token, page_bound } = pageToken
  return { csrf_token, file_ticket: page_bound ? ticketOf(csrf_token, ctx.now) : null }
}

/**
 * Creates a session for the desktop window, in which the first administrator is signed in. Returns undefined before
 * the first run is completed. The session belongs to no page, because the desktop window has its own cookie store and
 * opens no other origin. Every start of the window creates a new session.
 */
export function ownerSession(ctx: Ctx): { name: string; cookie: string } | undefined {
  const user = firstAdmin(ctx.db)
  if (!user || user.state !== 'active' || isFirstRun(ctx)) return undefined
  const session = openSession(ctx, user, {
    ip: '127.0.0.1',
    user_agent: 'Deskforge window',
    isRemembered: true,
  })
  return { name: SESSION_COOKIES[0], cookie: session.cookie }
}
