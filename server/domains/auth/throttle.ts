import type { Ctx } from '../../ctx.ts'
import type { Database } from '../../db/database.ts'
import { Failure } from '../../lib/fail.ts'
import { RateWindow, type Use } from '../../lib/rate-window.ts'
import { settingsOf } from '../settings/index.ts'

const NAME = 'throttle_protected_paths'

/** One window of counts per instance. */
const windows = new WeakMap<Database, RateWindow>()

/**
 * Runs something that people guess at (a sign-in, a code) for an address. Every attempt counts, and is given back when it
 * succeeds, or fails in a way that tells nothing (`counts`): many at once gain nothing, and whoever knows what they send
 * is never held up. Throws 429 in the words and headers of the instance's throttle (spec core 8.8).
 */
export async function guarded<T>(
  ctx: Ctx,
  ip: string,
  work: () => Promise<T>,
  counts: (error: unknown) => boolean = () => true,
): Promise<T> {
  const settings = settingsOf(ctx)
  if (!settings.throttle_protected_paths_enabled) return work()
  let window = windows.get(ctx.db)
  if (!window) windows.set(ctx.db, (window = new RateWindow()))
  const rate = {
    max: settings.throttle_protected_paths_requests_per_period,
    per: settings.throttle_protected_paths_period_in_seconds,
  }
  const now = Date.parse(ctx.now)
  const use = window.take(ip, rate, now)
  if (!use.allowed) throw tooMany(use, rate, now, settings.rate_limiting_response_text)
  let guess = false
  try {
    return await work()
  } catch (error) {
    guess = counts(error)
    throw error
  } finally {
    if (!guess) window.giveBack(ip, rate, now)
  }
}

function tooMany(use: Use, rate: { max: number; per: number }, now: number, text: string | null): Failure {
  return new Failure('too_many', text || 'Retry later', {
    headers: {
      'RateLimit-Name': NAME,
      // Clients read it as so many a minute.
      'RateLimit-Limit': String(Math.ceil((rate.max * 60) / rate.per)),
      'RateLimit-Observed': String(use.observed),
      'RateLimit-Remaining': '0',
      'RateLimit-Reset': String(use.reset),
      'RateLimit-ResetTime': new Date(use.reset * 1000).toUTCString(),
      'Retry-After': String(Math.max(1, Math.ceil(use.reset - now / 1000))),
    },
  })
}
