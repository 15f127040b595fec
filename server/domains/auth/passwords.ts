import { LRUCache } from 'lru-cache'

import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import { publish } from '../../events/publish.ts'
import type { LockRule } from '../../lib/attempts.ts'
import { tokenDigest, verifyPassword } from '../../lib/security/crypto.ts'
import { settingsOf } from '../settings/index.ts'
import { SignInFailed } from './events.ts'
import { userByLogin, type UserRow } from '../users/index.ts'

/** Wrong passwords after which an account is locked, and minutes for how long, unless the settings say otherwise. */
const MAX_FAILURES = 10
const LOCKED_MINUTES = 10

/** A login and a password as somebody shows them, and from where. */
export interface ShownPassword {
  readonly login: string
  readonly password: string
  readonly ip: string
}

/**
 * What was said of passwords a moment ago. Git asks several times for one command, programs go on with an old password, and
 * each check costs 0.2 s.
 */
function checkedIn({ db }: Ctx): LRUCache<string, boolean> {
  return db.instance(
    'auth.checked_passwords',
    () => new LRUCache<string, boolean>({ max: 500, ttl: 300_000 }),
  )
}

async function passwordHolds(ctx: Ctx, hash: string, password: string): Promise<boolean> {
  const known = checkedIn(ctx)
  const key = keyOf(hash, password)
  const before = known.get(key)
  if (before !== undefined) return before
  const holds = await verifyPassword(password, hash)
  known.set(key, holds)
  return holds
}

/** The stored hash is part of the key, so that a changed password is forgotten at once. */
function keyOf(hash: string, password: string): string {
  return tokenDigest(`${hash}\0${password}`)
}

/** A hash nobody knows the password of; checked for unknown users so that they take as long as known ones. */
function hashOfNobody({ config: { hashCost } }: Ctx, login: string): string {
  const salt = Buffer.from(tokenDigest(login), 'hex').subarray(0, 16).toString('base64')
  return `$scrypt$ln=${hashCost.ln},r=8,p=${hashCost.p}$${salt}$${'A'.repeat(43)}=`
}

/** True for what was shown a moment ago already and was wrong; nobody learns anything by showing it once more. */
export function isKnownWrong(ctx: Ctx, { login, password }: Omit<ShownPassword, 'ip'>): boolean {
  const hash = userByLogin(ctx.db, login)?.password_hash ?? hashOfNobody(ctx, login)
  return checkedIn(ctx).get(keyOf(hash, password)) === false
}

/**
 * The user whose login and password these are; undefined otherwise, and for an account that is locked for this address
 * whatever the password, so that nobody learns it was right. Wrong ones are counted. Whether the account may act is for
 * the caller to ask.
 */
export async function userByPassword(ctx: Ctx, shown: ShownPassword): Promise<UserRow | undefined> {
  const user = userByLogin(ctx.db, shown.login)
  if (user?.password_hash) return (await isPasswordOf(ctx, user, shown)) ? user : undefined
  await passwordHolds(ctx, hashOfNobody(ctx, shown.login), shown.password)
  return undefined
}

/** True for the right password of this user, unless the account is locked for the address. Wrong ones are counted. */
export async function isPasswordOf(
  ctx: Ctx,
  { id, password_hash }: UserRow,
  { password, ip }: Omit<ShownPassword, 'login'>,
): Promise<boolean> {
  if (password_hash === null) return false
  const holds = await passwordHolds(ctx, password_hash, password)
  // With another password the account is another one, and open.
  const account = `${id} ${tokenDigest(password_hash)}`
  const rule = ruleOf(ctx)
  const now = Date.parse(ctx.now)
  // Asked after the check: other attempts may have ended meanwhile.
  if (ctx.attempts.isLocked(ip, account, rule, now)) return false
  if (holds) ctx.attempts.succeeded(ip, account)
  else noteFailure(ctx, id, ctx.attempts.failed(ip, account, rule, now), rule)
  return holds
}

function ruleOf(ctx: Ctx): LockRule {
  const { max_login_attempts: max, failed_login_attempts_unlock_period_in_minutes: minutes } = settingsOf(ctx)
  return { max: max ?? MAX_FAILURES, minutes: minutes ?? LOCKED_MINUTES }
}

function noteFailure(ctx: Ctx, user_id: number, failures: number, rule: LockRule): void {
  tx(ctx.db, () => publish(ctx, SignInFailed, { user_id, failures }))
  if (failures === rule.max)
    ctx.log.warn({ user_id }, 'too many wrong passwords: the account is locked for their address')
}
