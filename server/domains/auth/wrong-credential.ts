import type { Ctx } from '../../ctx.ts'
import type { Database } from '../../db/database.ts'
import { tooMany } from '../../http/request/throttle.ts'
import { Failure } from '../../lib/fail.ts'
import type { Rate } from '../../lib/rate-window.ts'
import { settingsIn, settingsOf } from '../settings/index.ts'

/** Programs have more tokens and keys than people have passwords. */
const TIMES = 3
const NAME = 'throttle_wrong_credentials'

/** How many different wrong tokens and keys an address may show, by the throttle of sign-ins; null while that is off. */
function rateIn(db: Database, now: string): Rate | null {
  const settings = settingsIn(db, now)
  if (!settings.throttle_protected_paths_enabled) return null
  return {
    max: settings.throttle_protected_paths_requests_per_period * TIMES,
    per: settings.throttle_protected_paths_period_in_seconds,
  }
}

/**
 * What to throw for a token that does not hold: `failure`, or 429 for an address that showed too many different ones. Every
 * place that checks a token asks here. Tokens that hold are never held up: they are found by their digest, which is cheap.
 */
export function wrongCredential(
  ctx: Ctx,
  shown: string,
  failure: Failure,
  ip: string | undefined = ctx.cause?.ip,
): Failure {
  const rate = rateIn(ctx.db, ctx.now)
  if (!rate || ip === undefined || shown === '') return failure
  const now = Date.parse(ctx.now)
  const use = ctx.attempts.wrong(ip, shown, rate, now)
  if (use.allowed) return failure
  if (use.observed === rate.max + 1) ctx.log.warn({ ip }, 'too many different wrong tokens from one address')
  return tooMany(NAME, { use, rate, now, text: settingsOf(ctx).rate_limiting_response_text })
}

/** True for an address that showed too many different keys or tokens that do not hold, this one included. */
export function isOneTooMany(ctx: Ctx, shown: string, ip: string): boolean {
  const failure = new Failure('unauthorized')
  return wrongCredential(ctx, shown, failure, ip) !== failure
}
