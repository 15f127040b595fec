import type { Ctx } from '../../ctx.ts'
import { tooMany } from '../../http/request/throttle.ts'
import { RateWindow } from '../../lib/rate-window.ts'
import { settingsOf } from '../settings/index.ts'
import { protects } from './protected-paths.ts'

const NAME = 'throttle_protected_paths'

/** Who tries, and where; without an address it is counted whatever paths the settings protect. */
export interface Asking {
  readonly ip: string
  /** Path and query as sent. */
  readonly target: string
}

/**
 * Runs something that people guess at (a sign-in, a code) for an address. Every attempt counts, and is given back when it
 * succeeds, or fails in a way that tells nothing (`counts`): many at once gain nothing, and whoever knows what they send
 * is never held up. Throws 429 in the words and headers of the instance's throttle (spec core 8.8).
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
  const window = ctx.db.instance('auth.protected_paths', () => new RateWindow())
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
    if (!guess) window.giveBack(ip, rate, now)
  }
}

function pathOf(target: string): string {
  return target.split('?', 1)[0]!
}
