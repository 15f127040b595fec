import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import { publish } from '../../events/facts.ts'
import type { Exchange } from '../../http/endpoint.ts'
import { SESSION_COOKIES } from '../../http/aliases.ts'
import { tokenDigest } from '../../lib/crypto.ts'
import { fail } from '../../lib/fail.ts'
import { settingsOf } from '../settings/index.ts'
import { anyPassword, updateUser, userById, withDetails, type UserRow } from '../users/index.ts'
import { dutyOf } from './account-state.ts'
import { sessionEnd } from './session-actor.ts'
import type { SessionState } from './entity.ts'
import { SignedIn } from './events.ts'
import * as store from './store.ts'

/** A session just made, with the only copy of its cookie's value. */
export interface OpenSession {
  id: number
  cookie: string
  csrf_token: string
}

/** Makes a session of a user and records the sign-in. */
export function openSession(ctx: Ctx, user: UserRow, from: { ip: string; user_agent: string }): OpenSession {
  const cookie = ctx.random.token(43)
  const csrf_token = ctx.random.token(43)
  return tx(ctx.db, () => {
    const id = store.insertSession(ctx.db, {
      user_id: user.id,
      digest: tokenDigest(cookie),
      csrf_token,
      user_agent: from.user_agent.slice(0, 512),
      ip: from.ip,
      created_at: ctx.now,
      last_seen_at: ctx.now,
      expires_at: sessionEnd(ctx),
    })
    updateUser(ctx.db, user.id, {
      sign_in_count: user.sign_in_count + 1,
      last_sign_in_at: user.current_sign_in_at,
      last_sign_in_ip: user.current_sign_in_ip,
      current_sign_in_at: ctx.now,
      current_sign_in_ip: from.ip,
    })
    publish(ctx, SignedIn, { user_id: user.id, session_id: id })
    return { id, cookie, csrf_token }
  })
}

/** Makes a session for the caller of this exchange and sets its cookie. */
export function signInHere(ctx: Ctx, http: Exchange, user: UserRow): OpenSession {
  const session = openSession(ctx, user, { ip: http.ip, user_agent: http.header('user-agent') })
  const age = settingsOf(ctx).session_expire_delay * 60
  const secure = ctx.config.url.startsWith('https:') ? '; Secure' : ''
  const keep = age > 0 ? `; Max-Age=${age}` : ''
  http.set(
    'Set-Cookie',
    `${SESSION_COOKIES[0]}=${session.cookie}; Path=/; HttpOnly; SameSite=Lax${keep}${secure}`,
  )
  return session
}

/**
 * Ends the session that the caller came with, and its cookie. Throws 401 when the cookie holds and the CSRF token does
 * not: saying "signed out" while the session lives on would be a lie.
 */
export function signOutHere(ctx: Ctx, http: Exchange): void {
  const id = ctx.actor.kind === 'user' ? ctx.actor.session_id : undefined
  if (id !== undefined) store.removeSession(ctx.db, id)
  else if (SESSION_COOKIES.some((name) => isLive(ctx, http.cookie(name)))) throw fail('unauthorized')
  for (const name of SESSION_COOKIES)
    http.set('Set-Cookie', `${name}=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0`)
}

function isLive(ctx: Ctx, cookie: string | undefined): boolean {
  const found = cookie ? store.sessionIdentity(ctx.db, tokenDigest(cookie)) : undefined
  return found !== undefined && found.expires_at > ctx.now
}

/** True until somebody has a password: the window then shows the first run. */
export function isFirstRun(ctx: Ctx): boolean {
  return !anyPassword(ctx.db)
}

/** What the window shows: who is signed in, and the face of the instance. */
export function sessionState(ctx: Ctx, userId: number | null, csrf: string | null): SessionState {
  const settings = settingsOf(ctx)
  const row = userId === null ? undefined : userById(ctx.db, userId)
  return {
    user: row && withDetails(ctx.db, row),
    csrf_token: csrf,
    duty: (row && dutyOf(ctx, row)) ?? null,
    terms: settings.enforce_terms ? settings.terms : null,
    first_run: isFirstRun(ctx),
    instance: {
      name: 'Deskforge',
      version: ctx.config.version,
      url: ctx.config.url,
      sign_up_enabled: settings.signup_enabled,
      sign_in_text: settings.sign_in_text,
      password_sign_in: settings.password_authentication_enabled_for_web,
    },
  }
}

/** The CSRF token of the session that the actor came with. */
export function csrfOf(ctx: Ctx): string | null {
  if (ctx.actor.kind !== 'user' || ctx.actor.session_id === undefined) return null
  return store.csrfToken(ctx.db, ctx.actor.session_id) ?? null
}
