import type { Ctx } from '../../../ctx.ts'
import { type Throttle, THROTTLES, type Throttles, tooMany } from '../../../http/request/throttle.ts'
import { RateWindow, type Rate } from '../../../lib/rate-window.ts'
import { settingsOf, settingsIn, type Settings } from '../../settings/index.ts'
import type { Database } from '../../../db/database.ts'
import { Failure } from '../../../lib/fail.ts'

/** The limit for tokens and keys is a multiple of the one for passwords, because programs use several of them. */
const CREDENTIALS_FACTOR = 3
const WRONG_CREDENTIALS_THROTTLE = 'throttle_wrong_credentials'

/**
 * Returns the allowed rate of different wrong tokens and keys from one IP address, derived from the throttle for
 * protected paths; null while that throttle is disabled.
 */
function wrongCredentialRate(db: Database, now: string): Rate | null {
  const settings = settingsIn(db, now)
  if (!settings.throttle_protected_paths_enabled) return null
  return {
    max: settings.throttle_protected_paths_requests_per_period * CREDENTIALS_FACTOR,
    per: settings.throttle_protected_paths_period_in_seconds,
  }
}

/**
 * Returns the error for a wrong token or key: `failure`, or 429 for an address that sent too many different ones.
 * Every check of a token uses this function. Valid tokens are never limited, because the lookup by digest is cheap.
 */
export function wrongCredential(
  ctx: Ctx,
  credential: string,
  failure: Failure,
  ip: string | undefined = ctx.cause?.ip,
): Failure {
  const rate = wrongCredentialRate(ctx.db, ctx.now)
  if (!rate || ip === undefined || credential === '') return failure
  const now = Date.parse(ctx.now)
  const use = ctx.attempts.countInvalid(ip, credential, rate, now)
  if (use.allowed) return failure
  if (use.observed === rate.max + 1) ctx.log.warn({ ip }, 'too many different wrong tokens from one address')
  return tooMany(WRONG_CREDENTIALS_THROTTLE, {
    use,
    rate,
    now,
    text: settingsOf(ctx).rate_limiting_response_text,
  })
}

/** Returns true if an IP address has sent too many different wrong tokens or keys, including this one. */
export function hasTooManyFailures(ctx: Ctx, credential: string, ip: string): boolean {
  const failure = new Failure('unauthorized')
  return wrongCredential(ctx, credential, failure, ip) !== failure
}

/**
 * The window's paths to sign in and the like, with their names in the setting `protected_paths`. Their handlers count
 * only failures (`limitFailures`).
 */
const SETTING_NAMES: Readonly<Record<string, string>> = {
  '/-/session': '/users/sign_in',
  '/-/session/admin': '/admin/session',
  '/-/registration': '/users',
  '/-/password_reset': '/users/password',
  '/-/profile/password': '/users/password',
  '/-/confirmation': '/users/confirmation',
}

/** More paths with handlers that count only failures. The setting does not name them. */
const OTHER_GUARDED_PATHS = new Set(['/oauth/token', '/oauth/revoke', '/oauth/introspect'])

/** Returns true for a path with a handler that counts failures itself. */
export function isGuarded(path: string): boolean {
  return path in SETTING_NAMES || OTHER_GUARDED_PATHS.has(path)
}

/** Returns true if a path, or its name in the settings, starts with an entry of the list. */
export function protects(list: readonly string[], path: string): boolean {
  const names = [path, SETTING_NAMES[path]].filter((name) => name !== undefined)
  return list.some((entry) => entry !== '' && names.some((name) => name.startsWith(entry)))
}

const PROTECTED_PATHS_THROTTLE = 'throttle_protected_paths'

/** The caller and the path of an attempt. */
export interface Attempt {
  readonly ip: string
  /** Path and query of the request. */
  readonly target: string
}

/**
 * Runs an operation on an input that can be guessed, such as a password, and limits the failures of an IP address.
 * Every attempt counts when it starts, so parallel guesses have no advantage. Its count is undone if it succeeds or
 * fails for another reason than a wrong input (`isWrongInput` returns false), so correct input is never limited. With an
 * `Attempt` instead of an IP address, only paths in the setting `protected_paths` are limited. Throws 429 with the
 * message and headers of the throttle (spec core 8.8).
 */
export async function limitFailures<T>(
  ctx: Ctx,
  from: string | Attempt,
  work: () => Promise<T>,
  isWrongInput: (error: unknown) => boolean = () => true,
): Promise<T> {
  const settings = settingsOf(ctx)
  if (!settings.throttle_protected_paths_enabled) return work()
  const ip = typeof from === 'string' ? from : from.ip
  if (typeof from !== 'string' && !protects(settings.protected_paths, pathOf(from.target))) return work()
  const window = ctx.db.instance('auth.protected_paths', () => new RateWindow(), { dependsOnRows: true })
  const rate = {
    max: settings.throttle_protected_paths_requests_per_period,
    per: settings.throttle_protected_paths_period_in_seconds,
  }
  const now = Date.parse(ctx.now)
  const use = window.take(ip, rate, now)
  if (!use.allowed)
    throw tooMany(PROTECTED_PATHS_THROTTLE, { use, rate, now, text: settings.rate_limiting_response_text })
  let isGuess = false
  try {
    return await work()
  } catch (error) {
    isGuess = isWrongInput(error)
    throw error
  } finally {
    if (!isGuess) window.undo(ip, rate, now)
  }
}

function pathOf(target: string): string {
  return target.split('?', 1)[0]!
}

type SettingValues = Readonly<Record<string, unknown>>

/** Returns the rate of a throttle; undefined while it is disabled. */
function rateOf(settings: Settings, kind: Throttle): Rate | undefined {
  // The settings of the oldest throttle have a shorter name.
  const prefix = kind === 'unauthenticated_web' ? 'throttle_unauthenticated' : `throttle_${kind}`
  const values = settings as SettingValues
  if (values[`${prefix}_enabled`] !== true) return undefined
  const max = values[`${prefix}_requests_per_period`] as number
  return { max, per: values[`${prefix}_period_in_seconds`] as number }
}

function readThrottles(settings: Settings): Throttles | null {
  const rates = Object.fromEntries(
    THROTTLES.map((kind) => [kind, rateOf(settings, kind)] as const).filter(([, rate]) => rate !== undefined),
  )
  if (Object.keys(rates).length === 0) return null
  const isProtected = (path: string): boolean => !isGuarded(path) && protects(settings.protected_paths, path)
  return { rates, isProtected, text: settings.rate_limiting_response_text }
}

/** Returns the enabled throttles; null if none is enabled (spec administration 1.4). */
export function throttlesIn(db: Database, now: string): Throttles | null {
  return db.rememberRows('throttles', () => readThrottles(settingsIn(db, now)))
}
