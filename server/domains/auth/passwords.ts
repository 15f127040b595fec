import { LRUCache } from 'lru-cache'

import type { Ctx } from '../../ctx.ts'
import { tx, type Database } from '../../db/database.ts'
import { publish } from '../../events/facts.ts'
import { isoTime } from '../../lib/clock.ts'
import { tokenDigest, verifyPassword } from '../../lib/crypto.ts'
import { settingsOf } from '../settings/index.ts'
import { SignInFailed } from './events.ts'
import { updateUser, userById, userByLogin, type UserRow } from '../users/index.ts'

/** Wrong passwords after which an account is locked, and minutes for how long, unless the settings say otherwise. */
const MAX_FAILURES = 10
const LOCKED_MINUTES = 10

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
function hashOfNobody({ config: { hashCost } }: Ctx): string {
  return `$scrypt$ln=${hashCost.ln},r=8,p=${hashCost.p}$${'A'.repeat(22)}==$${'A'.repeat(43)}=`
}

/**
 * The user whose login and password these are; undefined otherwise, and for a locked account whatever the password, so
 * that nobody learns it was right. Wrong ones are counted. Whether the account may act is for the caller to ask.
 */
export async function userByPassword(
  ctx: Ctx,
  login: string,
  password: string,
): Promise<UserRow | undefined> {
  const user = userByLogin(ctx.db, login)
  if (!user?.password_hash) {
    await verifyPassword(password, hashOfNobody(ctx))
    return undefined
  }
  const holds = await passwordHolds(ctx, user.password_hash, password)
  // Other attempts may have ended meanwhile.
  const { failed_attempts, locked_at } = userById(ctx.db, user.id) ?? user
  if (isLocked(ctx, locked_at)) return undefined
  if (holds) {
    if (failed_attempts > 0 || locked_at !== null) unlock(ctx, user.id)
    return user
  }
  countFailure(ctx, user.id, locked_at === null ? failed_attempts + 1 : 1)
  return undefined
}

/** True for a right password of this user; nothing is counted (somebody signed in proves who they are once more). */
export function isPasswordOf(ctx: Ctx, user: UserRow, password: string): Promise<boolean> {
  return user.password_hash === null
    ? Promise.resolve(false)
    : passwordHolds(ctx, user.password_hash, password)
}

function isLocked(ctx: Ctx, lockedAt: string | null): boolean {
  const minutes = settingsOf(ctx).failed_login_attempts_unlock_period_in_minutes ?? LOCKED_MINUTES
  return lockedAt !== null && lockedAt > isoTime(Date.parse(ctx.now) - minutes * 60_000)
}

function countFailure(ctx: Ctx, id: number, failed_attempts: number): void {
  const most = settingsOf(ctx).max_login_attempts ?? MAX_FAILURES
  const locked_at = failed_attempts >= most ? ctx.now : null
  tx(ctx.db, () => {
    updateUser(ctx.db, id, { failed_attempts, locked_at })
    publish(ctx, SignInFailed, { user_id: id, failures: failed_attempts })
  })
  if (locked_at) ctx.log.warn({ user_id: id }, 'too many wrong passwords: the account is locked for a while')
}

/** Opens a locked account again. */
export function unlock(ctx: Ctx, id: number): void {
  updateUser(ctx.db, id, { failed_attempts: 0, locked_at: null })
}
