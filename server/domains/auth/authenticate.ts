import { timingSafeEqual } from 'node:crypto'

import { LRUCache } from 'lru-cache'

import type { Ctx } from '../../ctx.ts'
import type { Database } from '../../db/database.ts'
import { SESSION_COOKIES } from '../../http/aliases.ts'
import type { Credentials } from '../../http/pipeline.ts'
import { addDays, isoDate, isoTime } from '../../lib/clock.ts'
import { tokenDigest, verifyPassword } from '../../lib/crypto.ts'
import { fail, Failure } from '../../lib/fail.ts'
import { anonymous, type Actor, type UserActor } from '../../policy/actor.ts'
import { settingsOf } from '../settings/index.ts'
import { userByLogin } from '../users/index.ts'
import * as store from './store.ts'
import type { Identity } from './store.ts'

const READS = new Set(['GET', 'HEAD', 'OPTIONS'])

/** The sentences for accounts that may not act (spec core 8.4). */
const REFUSED: Readonly<Record<string, string>> = {
  blocked: '403 Forbidden - Your account has been blocked.',
  ldap_blocked: '403 Forbidden - Your account has been blocked.',
  banned: '403 Forbidden - Your account has been blocked.',
  blocked_pending_approval:
    '403 Forbidden - Your account is pending approval from your administrator and hence blocked.',
  deactivated:
    '403 Forbidden - Your account has been deactivated by your administrator. Please log back in from a web browser to reactivate your account at ',
}

/** Throws 403 for an account that may not act. */
function checkState(ctx: Ctx, state: string): void {
  const refused = REFUSED[state]
  if (refused) throw fail('forbidden', refused.endsWith(' at ') ? refused + ctx.config.url : refused)
}

function actorOf(
  identity: Identity,
  more: Pick<UserActor, 'scopes' | 'via' | 'token_id' | 'session_id'>,
): UserActor {
  return {
    kind: 'user',
    id: identity.user_id,
    username: identity.username,
    name: identity.name,
    email: identity.email,
    is_admin: identity.is_admin === 1,
    external: identity.external === 1,
    ...more,
  }
}

function refuseToken(description: string): Failure {
  return new Failure('unauthorized', undefined, {
    body: { error: 'invalid_token', error_description: description },
    headers: {
      'WWW-Authenticate': `Bearer realm="Protected by OAuth 2.0", error="invalid_token", error_description="${description}"`,
    },
  })
}

/** The actor of a personal access token. Throws 401 for an unknown, revoked or expired one, 403 for a blocked user. */
export function actorOfToken(ctx: Ctx, token: string): UserActor {
  const digest = tokenDigest(token)
  const found = ctx.db.remember(`token:${digest}`, () => store.tokenIdentity(ctx.db, digest))
  if (!found) throw fail('unauthorized')
  if (found.revoked) throw refuseToken('Token was revoked. You have to re-authorize from the user.')
  if (found.expires_at && found.expires_at <= isoDate(ctx.now)) {
    throw refuseToken('Token is expired. You can either do re-authorization or token refresh.')
  }
  checkState(ctx, found.state)
  noteUse(ctx, found.token_id, found.user_id)
  const scopes = ctx.db.remember(
    `scopes:${found.scopes}`,
    () => new Set(JSON.parse(found.scopes) as string[]),
  )
  return actorOf(found, { scopes, via: 'token', token_id: found.token_id })
}

function noteUse(ctx: Ctx, tokenId: number, userId: number): void {
  ctx.bookkeeping.note(
    `token-used:${tokenId}`,
    'UPDATE personal_access_tokens SET last_used_at = ? WHERE id = ?',
    ctx.now,
    tokenId,
  )
  noteActivity(ctx, userId)
}

function noteActivity(ctx: Ctx, userId: number): void {
  const today = isoDate(ctx.now)
  const sql = 'UPDATE users SET last_activity_on = ? WHERE id = ? AND last_activity_on IS NOT ?'
  ctx.bookkeeping.note(`user-active:${userId}`, sql, today, userId, today)
}

function sameText(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}

/**
 * The actor of a session cookie; undefined when it does not hold. A write must carry the session's CSRF token, or the
 * cookie counts for nothing (spec core 8.4).
 */
function actorOfSession(ctx: Ctx, request: Credentials): UserActor | undefined {
  const value = SESSION_COOKIES.map((name) => request.cookie(name)).find((cookie) => cookie !== undefined)
  if (!value) return undefined
  const digest = tokenDigest(value)
  const found = ctx.db.remember(`session:${digest}`, () => store.sessionIdentity(ctx.db, digest))
  if (!found || found.expires_at <= ctx.now || found.state !== 'active') return undefined
  if (!READS.has(request.method) && !sameText(request.header('x-csrf-token'), found.csrf_token))
    return undefined
  const expires = sessionEnd(ctx)
  const sql = 'UPDATE sessions SET last_seen_at = ?, expires_at = ? WHERE id = ?'
  ctx.bookkeeping.note(`session-seen:${found.session_id}`, sql, ctx.now, expires, found.session_id)
  noteActivity(ctx, found.user_id)
  return actorOf(found, { scopes: null, via: 'session', session_id: found.session_id })
}

/** When a session that is used now ends. A delay of 0 means "when the browser is closed", kept for a day. */
export function sessionEnd(ctx: Ctx): string {
  const minutes = settingsOf(ctx).session_expire_delay
  return minutes === 0 ? addDays(ctx.now, 1) : isoTime(Date.parse(ctx.now) + minutes * 60_000)
}

/**
 * Who asks: `PRIVATE-TOKEN` header or `private_token`, then `Authorization: Bearer` or `access_token`, then the session
 * cookie (spec core 8.4). Credentials that are shown and do not hold are refused, never ignored.
 */
export function authenticate(ctx: Ctx, request: Credentials): Actor {
  const privateToken = request.header('private-token') || textOf(request.query['private_token'])
  if (privateToken) return actorOfToken(ctx, privateToken)
  const bearer =
    /^Bearer\s+(\S+)$/i.exec(request.header('authorization'))?.[1] ?? textOf(request.query['access_token'])
  if (bearer) return actorOfToken(ctx, bearer)
  return actorOfSession(ctx, request) ?? anonymous
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** Passwords that were right a moment ago; git asks several times for one command and each check costs 0.2 s. */
const verified = new WeakMap<Database, LRUCache<string, true>>()

async function passwordHolds(ctx: Ctx, hash: string, password: string): Promise<boolean> {
  let known = verified.get(ctx.db)
  if (!known) verified.set(ctx.db, (known = new LRUCache<string, true>({ max: 500, ttl: 300_000 })))
  // The stored hash is part of the key, so a changed password is forgotten at once.
  const key = tokenDigest(`${hash}\0${password}`)
  if (known.has(key)) return true
  const holds = await verifyPassword(password, hash)
  if (holds) known.set(key, true)
  return holds
}

/** A hash nobody knows the password of; checked for unknown users so that they take as long as known ones. */
const NOBODY = '$scrypt$ln=15,r=8,p=3$AAAAAAAAAAAAAAAAAAAAAA==$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA='

/** The user whose login and password these are; undefined otherwise. Throws 403 for an account that may not act. */
export async function userByPassword(ctx: Ctx, login: string, password: string) {
  const user = userByLogin(ctx.db, login)
  if (!user?.password_hash) {
    await verifyPassword(password, NOBODY)
    return undefined
  }
  if (!(await passwordHolds(ctx, user.password_hash, password))) return undefined
  checkState(ctx, user.state)
  return user
}

/**
 * Who asks over git: any user name with a token as the password, or a login with its password where the settings
 * allow that. Undefined when the credentials do not hold.
 */
export async function gitActor(ctx: Ctx, login: string, password: string): Promise<UserActor | undefined> {
  const digest = tokenDigest(password)
  if (ctx.db.remember(`token:${digest}`, () => store.tokenIdentity(ctx.db, digest)))
    return actorOfToken(ctx, password)
  if (!settingsOf(ctx).password_authentication_enabled_for_git) return undefined
  const user = await userByPassword(ctx, login, password)
  if (!user) return undefined
  noteActivity(ctx, user.id)
  const identity: Identity = { ...user, user_id: user.id }
  return actorOf(identity, { scopes: null, via: 'password' })
}
