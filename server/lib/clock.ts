/** Where the time comes from. Injected at `startServer`, so that a test or a frozen instance decides what "now" is. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number
}

/** The machine's own clock. */
export const systemClock: Clock = { now: () => Date.now() }

/** A clock that stands still until it is moved; for tests and deterministic instances. */
export function frozenClock(start: string | number): Clock & { advance(ms: number): void } {
  let current = typeof start === 'number' ? start : Date.parse(start)
  return {
    now: () => current,
    advance(ms) {
      current += ms
    },
  }
}

/** A moment as stored and as sent: ISO 8601, UTC, always three decimals (`2026-01-31T08:00:00.000Z`). */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString()
}

/** The UTC calendar day of an ISO time, `YYYY-MM-DD`. */
export function isoDate(time: string): string {
  return time.slice(0, 10)
}

/** An ISO time moved by whole days (negative moves back). */
export function addDays(time: string, days: number): string {
  return isoTime(Date.parse(time) + days * 86_400_000)
}
