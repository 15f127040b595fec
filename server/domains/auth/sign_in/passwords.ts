import { LRUCache } from 'lru-cache'

import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import type { LockRule } from '../../../lib/attempts.ts'
import { tokenDigest, verifyPassword } from '../../../lib/security/crypto.ts'
import { settingsOf } from '../../settings/index.ts'
import { SignInFailed } from '../events.ts'
import { userByLogin, type UserRow } from '../../users/index.ts'

/** Defaults: the number of wrong passwords that locks an account, and the duration of the lock in minutes. */
const MAX_FAILURES = 10
const LOCK_MINUTES = 10

/** A login, a password and the IP address of the caller. */
export interface PasswordCredentials {
  readonly login: string
  readonly password: string
  readonly ip: string
}

/**
 * Returns the cache of password checks. Git authenticates several times per command, programs repeat an old password,
 * and each check takes 0.2 s.
 */
function checkCache({ db }: Ctx): LRUCache<string, boolean> {
  return db.instance(
    'auth.checked_passwords',
    () => new LRUCache<string, boolean>({ max: 500, ttl: 300_000 }),
    { dependsOnRows: true },
  )
}

async function matchesHash(ctx: Ctx, hash: string, password: string): Promise<boolean> {
  const cache = checkCache(ctx)
  const key = cacheKey(hash, password)
  const cached = cache.get(key)
  if (cached !== undefined) return cached
  const isValid = await verifyPassword(password, hash)
  cache.set(key, isValid)
  return isValid
}

/** Returns the key of a check. The stored hash is part of it, so a changed password invalidates the entry. */
function cacheKey(hash: string, password: string): string {
  return tokenDigest(`${hash}\0${password}`)
}

/**
 * Returns a hash that no password has. It is checked for unknown users, so that their check takes as long as that of
 * others.
 */
function unknownUserHash({ config: { hashCost } }: Ctx, login: string): string {
  const salt = Buffer.from(tokenDigest(login), 'hex').subarray(0, 16).toString('base64')
  return `$scrypt$ln=${hashCost.ln},r=8,p=${hashCost.p}$${salt}$${'A'.repeat(43)}=`
}

/** Returns true for a password that was refused recently. Its repetition reveals nothing new. */
export function isKnownWrong(ctx: Ctx, { login, password }: Omit<PasswordCredentials, 'ip'>): boolean {
  const hash = userByLogin(ctx.db, login)?.password_hash ?? unknownUserHash(ctx, login)
  return checkCache(ctx).get(cacheKey(hash, password)) === false
}

/**
 * Returns the user with this login and password; undefined for wrong ones. Undefined also for an account that is
 * locked for this IP address, so that guesses do not find the correct password. Counts wrong passwords. The caller
 * checks the state of the account.
 */
export async function userByPassword(
  ctx: Ctx,
  credentials: PasswordCredentials,
): Promise<UserRow | undefined> {
  const user = userByLogin(ctx.db, credentials.login)
  if (user?.password_hash) return (await isPasswordOf(ctx, user, credentials)) ? user : undefined
  await matchesHash(ctx, unknownUserHash(ctx, credentials.login), credentials.password)
  return undefined
}

/**
 * Returns true for the correct password of a user, unless the account is locked for the IP address. Counts wrong
 * passwords.
 */
export async function isPasswordOf(
  ctx: Ctx,
  { id, password_hash }: UserRow,
  { password, ip }: Omit<PasswordCredentials, 'login'>,
): Promise<boolean> {
  if (password_hash === null) return false
  const isValid = await matchesHash(ctx, password_hash, password)
  // The hash is part of the key, so that a changed password resets the lock.
  const account = `${id} ${tokenDigest(password_hash)}`
  const rule = lockRule(ctx)
  const now = Date.parse(ctx.now)
  // The lock is checked after the hash, because parallel attempts may have locked the account in the meantime.
  if (ctx.attempts.isLocked(ip, account, rule, now)) return false
  if (isValid) ctx.attempts.recordSuccess(ip, account)
  else recordFailure(ctx, id, ctx.attempts.recordFailure(ip, account, rule, now), rule)
  return isValid
}

function lockRule(ctx: Ctx): LockRule {
  const { max_login_attempts: max, failed_login_attempts_unlock_period_in_minutes: minutes } = settingsOf(ctx)
  return { max: max ?? MAX_FAILURES, minutes: minutes ?? LOCK_MINUTES }
}

function recordFailure(ctx: Ctx, user_id: number, failures: number, rule: LockRule): void {
  tx(ctx.db, () => publish(ctx, SignInFailed, { user_id, failures }))
  if (failures === rule.max)
    ctx.log.warn({ user_id }, 'too many wrong passwords: the account is locked for their address')
}
