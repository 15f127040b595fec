import type { Database } from '../../db/database.ts'
import { THROTTLES, type Throttle, type Throttles } from '../../http/request/throttle-kinds.ts'
import type { Rate } from '../../lib/rate-window.ts'
import { settingsIn, type Settings } from '../settings/index.ts'
import { isGuarded, protects } from './protected-paths.ts'

type Numbers = Readonly<Record<string, unknown>>

/** The rate of a throttle; undefined while it is off. */
function rateOf(settings: Settings, kind: Throttle): Rate | undefined {
  // The oldest one has kept its name from when it was the only one.
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

/** The throttles that are on, by the settings of the moment; null while none is (spec administration 1.4). */
export function throttlesIn(db: Database, now: string): Throttles | null {
  return db.remember('throttles', () => read(settingsIn(db, now)))
}
