import { timingSafeEqual } from 'node:crypto'

import type { Ctx } from '../../ctx.ts'
import { SESSION_COOKIES } from '../../http/aliases.ts'
import type { Credentials } from '../../http/pipeline.ts'
import { addDays, isoTime } from '../../lib/clock.ts'
import { tokenDigest } from '../../lib/crypto.ts'
import type { UserActor } from '../../policy/actor.ts'
import { settingsOf } from '../settings/index.ts'
import { checkDuty } from './account-state.ts'
import { adminModeOf } from './admin-mode.ts'
import { actorOf, noteActivity } from './identity.ts'
import * as store from './store.ts'

const READS = new Set(['GET', 'HEAD', 'OPTIONS'])

function sameText(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}

/**
 * The actor of a session cookie; undefined when it does not hold. A write must carry the session's CSRF token, or the
 * cookie counts for nothing (spec core 8.4). Throws 403 where the user has to do something else first.
 */
export function actorOfSession(ctx: Ctx, request: Credentials): UserActor | undefined {
  const value = SESSION_COOKIES.map((name) => request.cookie(name)).find((cookie) => cookie !== undefined)
  if (!value) return undefined
  const digest = tokenDigest(value)
  const found = ctx.db.remember(`session:${digest}`, () => store.sessionIdentity(ctx.db, digest))
  if (!found || found.expires_at <= ctx.now || found.state !== 'active') return undefined
  if (!READS.has(request.method) && !sameText(request.header('x-csrf-token'), found.csrf_token))
    return undefined
  if (!request.whileBarred) checkDuty(ctx, found)
  const expires = sessionEnd(ctx, found.remembered === 1)
  const sql = 'UPDATE sessions SET last_seen_at = ?, expires_at = ? WHERE id = ?'
  ctx.bookkeeping.note(`session-seen:${found.session_id}`, sql, ctx.now, expires, found.session_id)
  noteActivity(ctx, found.user_id)
  const is_admin = adminModeOf(ctx, found) === 'asleep' ? 0 : found.is_admin
  return actorOf({ ...found, is_admin }, { scopes: null, via: 'session', session_id: found.session_id })
}

/** Days for which somebody who asked to be remembered stays signed in without coming back. */
export const REMEMBERED_DAYS = 14

/**
 * When a session that is used now ends. A delay of 0 means "when the browser is closed", kept for a day. Who asked to be
 * remembered has longer, where the settings allow that.
 */
export function sessionEnd(ctx: Ctx, isRemembered = false): string {
  const { session_expire_delay: minutes, remember_me_enabled } = settingsOf(ctx)
  const long = REMEMBERED_DAYS * 1440
  if (isRemembered && remember_me_enabled && minutes < long) return addDays(ctx.now, REMEMBERED_DAYS)
  return minutes === 0 ? addDays(ctx.now, 1) : isoTime(Date.parse(ctx.now) + minutes * 60_000)
}
