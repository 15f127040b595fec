import { LRUCache } from 'lru-cache'

import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import type { LockRule } from '../../../lib/attempts.ts'
import { tokenDigest, verifyPassword } from '../../../lib/security/crypto.ts'
import { settingsOf } from '../../settings/index.ts'
import { SignInFailed } from '../events.ts'
import { userByLogin, type UserRow } from '../../users/index.ts'

/** Defaults: wrong passwords until an account is locked, and duration of the lock in minutes. */
const MAX_FAILURES = 10
const LOCKED_MINUTES = 10

/** A login, a password and the IP address of the caller. */
export interface PasswordCredentials {
  readonly login: string
  readonly password: string
  readonly ip: string
}

/**
 * Recent results of password checks. Git authenticates several times per command, programs repeat an old password, and
 * each check takes 0.2 s.
 */
function checkedIn({ db }: Ctx): LRUCache<string, boolean> {
  return db.instance(
    'auth.checked_passwords',
    () => new LRUCache<string, boolean>({ max: 500, ttl: 300_000 }),
    { ofContent: true },
  )
}

async function passwordHolds(ctx: Ctx, hash: string, password: string): Promise<boolean> {
  const cache = checkedIn(ctx)
  const key = keyOf(hash, password)
  const before = cache.get(key)
  if (before !== undefined) return before
  const isValid = await verifyPassword(password, hash)
  cache.set(key, isValid)
  return isValid
}

/** The stored hash is part of the key, so a changed password invalidates the entry. */
function keyOf(hash: string, password: string): string {
  return tokenDigest(`${hash}\0${password}`)
}

/** A hash without a known password, checked for unknown users so that they take as long as known ones. */
function unknownUserHash({ config: { hashCost } }: Ctx, login: string): string {
  const salt = Buffer.from(tokenDigest(login), 'hex').subarray(0, 16).toString('base64')
  return `$scrypt$ln=${hashCost.ln},r=8,p=${hashCost.p}$${salt}$${'A'.repeat(43)}=`
}

/** True for a recently refused password. Repeating it reveals nothing. */
export function isKnownWrong(ctx: Ctx, { login, password }: Omit<PasswordCredentials, 'ip'>): boolean {
  const hash = userByLogin(ctx.db, login)?.password_hash ?? unknownUserHash(ctx, login)
  return checkedIn(ctx).get(keyOf(hash, password)) === false
}

/**
 * Returns the user with this login and password. Undefined otherwise, and for an account that is locked for this IP
 * address, so that a right password is not revealed. Counts wrong passwords. The caller checks the state of the
 * account.
 */
export async function userByPassword(
  ctx: Ctx,
  credentials: PasswordCredentials,
): Promise<UserRow | undefined> {
  const user = userByLogin(ctx.db, credentials.login)
  if (user?.password_hash) return (await isPasswordOf(ctx, user, credentials)) ? user : undefined
  await passwordHolds(ctx, unknownUserHash(ctx, credentials.login), credentials.password)
  return undefined
}

/**
 * True for the right password of this user, unless the account is locked for the IP address. Counts wrong passwords.
 */
export async function isPasswordOf(
  ctx: Ctx,
  { id, password_hash }: UserRow,
  { password, ip }: Omit<PasswordCredentials, 'login'>,
): Promise<boolean> {
  if (password_hash === null) return false
  const isValid = await passwordHolds(ctx, password_hash, password)
  // A changed password resets the lock.
  const account = `${id} ${tokenDigest(password_hash)}`
  const rule = ruleOf(ctx)
  const now = Date.parse(ctx.now)
  // Checked after the hash, because parallel attempts may have finished in the meantime.
  if (ctx.attempts.isLocked(ip, account, rule, now)) return false
  if (isValid) ctx.attempts.recordSuccess(ip, account)
  else noteFailure(ctx, id, ctx.attempts.recordFailure(ip, account, rule, now), rule)
  return isValid
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
