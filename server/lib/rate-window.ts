import { LRUCache } from 'lru-cache'

/** A rate: at most `max` uses in `per` seconds. */
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
  /** The end of the window in Unix seconds. */
  readonly reset: number
}

/** The maximum number of counted keys. The least recently used ones are dropped first. */
const MAX_KEYS = 20_000

/**
 * Counts uses in windows, in memory. The window of a key begins with its first use, so a limit does not restart in the
 * middle of a series when a minute of the clock ends. Time is a parameter, because only `startServer` has the clock;
 * libraries for rate limits read the clock of the system.
 */
export class RateWindow {
  // With `maxSize` the memory grows with the keys; `max` would allocate all of it at once.
  readonly #counts = new LRUCache<string, { begin: number; count: number }>({
    maxSize: MAX_KEYS,
    sizeCalculation: () => 1,
  })

  /** Counts one use of `key` at `now` (milliseconds). */
  take(key: string, rate: Rate, now: number): Use {
    const current = this.#windowAt(key, rate, now)
    const begin = current?.begin ?? now
    const count = (current?.count ?? 0) + 1
    this.#counts.set(key, { begin, count })
    return {
      allowed: count <= rate.max,
      observed: count,
      remaining: Math.max(0, rate.max - count),
      reset: Math.ceil(begin / 1000) + rate.per,
    }
  }

  /** Removes one use from this window, for uses that only count when they fail. */
  undo(key: string, rate: Rate, now: number): void {
    const current = this.#windowAt(key, rate, now)
    if (current && current.count > 0) current.count--
  }

  /** The window of a key that contains `now`; undefined if there is none, also after the clock went back. */
  #windowAt(key: string, rate: Rate, now: number): { begin: number; count: number } | undefined {
    const current = this.#counts.get(key)
    return current && now >= current.begin && now < current.begin + rate.per * 1000 ? current : undefined
  }

  /** Removes the count of `key`, or all counts. */
  clear(key?: string): void {
    if (key === undefined) this.#counts.clear()
    else this.#counts.delete(key)
  }
}
