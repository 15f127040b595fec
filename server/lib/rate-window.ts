import { LRUCache } from 'lru-cache'

/** How often something may be done: `max` times in `per` seconds. */
export interface Rate {
  readonly max: number
  readonly per: number
}

/** The result of one use. */
export interface Use {
  readonly allowed: boolean
  /** Uses in this window, this one included. */
  readonly observed: number
  readonly remaining: number
  /** When the window ends, Unix seconds. */
  readonly reset: number
}

/** Limit of counted keys; the least recently used ones are forgotten first. */
const MAX_KEYS = 20_000

/**
 * Counts uses in fixed windows, in memory. Time is a parameter, because only `startServer` has the clock; libraries
 * read the system's.
 */
export class RateWindow {
  // Its memory grows with the keys; `max` would take all of it at once.
  readonly #counts = new LRUCache<string, { window: number; count: number }>({
    maxSize: MAX_KEYS,
    sizeCalculation: () => 1,
  })

  /** Counts one use of `key` at `now` (milliseconds). */
  take(key: string, rate: Rate, now: number): Use {
    const window = Math.floor(now / (rate.per * 1000))
    const known = this.#counts.get(key)
    const count = known?.window === window ? known.count + 1 : 1
    this.#counts.set(key, { window, count })
    return {
      allowed: count <= rate.max,
      observed: count,
      remaining: Math.max(0, rate.max - count),
      reset: (window + 1) * rate.per,
    }
  }

  /** Takes back one use of this window, for uses that only count when they fail. */
  giveBack(key: string, rate: Rate, now: number): void {
    const known = this.#counts.get(key)
    if (known?.window === Math.floor(now / (rate.per * 1000)) && known.count > 0) known.count--
  }

  /** Forgets what was counted for `key`. */
  clear(key: string): void {
    this.#counts.delete(key)
  }
}
