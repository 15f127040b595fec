import type { Ctx } from '../../../ctx.ts'
import { tooMany } from '../../../http/request/throttle.ts'
import { RateWindow, type Rate } from '../../../lib/rate-window.ts'
import { settingsOf, settingsIn, type Settings } from '../../settings/index.ts'
import type { Database } from '../../../db/database.ts'
import { THROTTLES, type Throttle, type Throttles } from '../../../http/request/throttle-kinds.ts'
import { Failure } from '../../../lib/fail.ts'

/** Factor for programs, which have more tokens and keys than users have passwords. */
const TIMES = 3
const WRONG_CREDENTIALS = 'throttle_wrong_credentials'

/**
 * The number of different wrong tokens and keys allowed for an IP address, by the throttle of sign-ins. Null while it
 * is off.
 */
function rateIn(db: Database, now: string): Rate | null {
  const settings = settingsIn(db, now)
  if (!settings.throttle_protected_paths_enabled) return null
  return {
    max: settings.throttle_protected_paths_requests_per_period * TIMES,
    per: settings.throttle_protected_paths_period_in_seconds,
  }
}

/**
 * The error for a wrong token: `failure`, or 429 for an address that sent too many different ones. Every check of a
 * token uses it. Valid tokens are never limited: the lookup by digest is cheap.
 */
export function wrongCredential(
  ctx: Ctx,
  credential: string,
  failure: Failure,
  ip: string | undefined = ctx.cause?.ip,
): Failure {
  const rate = rateIn(ctx.db, ctx.now)
  if (!rate || ip === undefined || credential === '') return failure
  const now = Date.parse(ctx.now)
  const use = ctx.attempts.countInvalid(ip, credential, rate, now)
  if (use.allowed) return failure
  if (use.observed === rate.max + 1) ctx.log.warn({ ip }, 'too many different wrong tokens from one address')
  return tooMany(WRONG_CREDENTIALS, { use, rate, now, text: settingsOf(ctx).rate_limiting_response_text })
}

/** True for an IP address with too many different invalid keys or tokens, including this one. */
export function hasTooManyFailures(ctx: Ctx, credential: string, ip: string): boolean {
  const failure = new Failure('unauthorized')
  return wrongCredential(ctx, credential, failure, ip) !== failure
}

/**
 * The window's own paths for sign-in and similar, mapped to their names in the setting `protected_paths`. Their
 * handlers count only failures (`guarded`).
 */
const KNOWN_AS: Readonly<Record<string, string>> = {
  '/-/session': '/users/sign_in',
  '/-/session/admin': '/admin/session',
  '/-/registration': '/users',
  '/-/password_reset': '/users/password',
  '/-/profile/password': '/users/password',
  '/-/confirmation': '/users/confirmation',
}

/** Paths that count failures without being in the settings. */
const ALWAYS = new Set(['/oauth/token', '/oauth/revoke', '/oauth/introspect'])

/** True for a path with a handler that counts failures. */
export function isGuarded(path: string): boolean {
  return path in KNOWN_AS || ALWAYS.has(path)
}

/** True if a path, or its name in the settings, starts with an entry of the list. */
export function protects(list: readonly string[], path: string): boolean {
  const names = [path, KNOWN_AS[path]].filter((name) => name !== undefined)
  return list.some((entry) => entry !== '' && names.some((name) => name.startsWith(entry)))
}

const NAME = 'throttle_protected_paths'

/** The caller and the path of an attempt. Without a path it always counts. */
export interface Asking {
  readonly ip: string
  /** Path and query of the request. */
  readonly target: string
}

/**
 * Runs an operation with an input that can be guessed (a password, a code) for an IP address. Every attempt counts at
 * its start. The count is undone if it succeeds, or fails in a way that reveals nothing (`counts`), so parallel guesses
 * gain nothing and correct input is never limited. Throws 429 with the message and headers of the throttle (spec core
 * 8.8).
 */
export async function guarded<T>(
  ctx: Ctx,
  from: string | Asking,
  work: () => Promise<T>,
  counts: (error: unknown) => boolean = () => true,
): Promise<T> {
  const settings = settingsOf(ctx)
  if (!settings.throttle_protected_paths_enabled) return work()
  const ip = typeof from === 'string' ? from : from.ip
  if (typeof from !== 'string' && !protects(settings.protected_paths, pathOf(from.target))) return work()
  const window = ctx.db.instance('auth.protected_paths', () => new RateWindow(), { ofContent: true })
  const rate = {
    max: settings.throttle_protected_paths_requests_per_period,
    per: settings.throttle_protected_paths_period_in_seconds,
  }
  const now = Date.parse(ctx.now)
  const use = window.take(ip, rate, now)
  if (!use.allowed) throw tooMany(NAME, { use, rate, now, text: settings.rate_limiting_response_text })
  let guess = false
  try {
    return await work()
  } catch (error) {
    guess = counts(error)
    throw error
  } finally {
    if (!guess) window.undo(ip, rate, now)
  }
}

function pathOf(target: string): string {
  return target.split('?', 1)[0]!
}

type Numbers = Readonly<Record<string, unknown>>

/** The rate of a throttle; undefined while it is off. */
function rateOf(settings: Settings, kind: Throttle): Rate | undefined {
  // The oldest throttle still has its original name.
  const prefix = kind === 'unauthenticated_web' ? 'throttle_unauthenticated' : `throttle_${kind}`
  const all = settings as Numbers
  if (all[`${prefix}_enabled`] !== true) return undefined
  const max = all[`${prefix}_requests_per_period`] as number
  return { max, per: all[`${prefix}_period_in_seconds`] as number }
}

function read(settings: Settings): Throttles | null {
  const rates = Object.fromEntries(
    THROTTLES.map((kind) => [kind, rateOf(settings, kind)] as const).filter(([, rate]) => rate !== undefined),
  )
  if (Object.keys(rates).length === 0) return null
  const isProtected = (path: string): boolean => !isGuarded(path) && protects(settings.protected_paths, path)
  return { rates, isProtected, text: settings.rate_limiting_response_text }
}

/** The enabled throttles in the settings; null if none is enabled (spec administration 1.4). */
export function throttlesIn(db: Database, now: string): Throttles | null {
  return db.rememberRows('throttles', () => read(settingsIn(db, now)))
}
