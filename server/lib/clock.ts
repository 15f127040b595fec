/**
 * The source of the current time. It is passed to `startServer`, so that a test or a frozen instance controls the time.
 */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number
}

/** The machine's own clock. */
export const systemClock: Clock = { now: () => Date.now() }

/** How a movable clock runs. `moved`: at the pace of the computer, from another time. */
export type ClockMode = 'real' | 'frozen' | 'moved'

/** The clock of an instance. It follows another clock until it is frozen or moved. */
export class MovableClock implements Clock {
  readonly #base: Clock
  #offset = 0
  #frozen: number | undefined

  constructor(base: Clock) {
    this.#base = base
  }

  now(): number {
    return this.#frozen ?? this.#base.now() + this.#offset
  }

  /** The time of the computer. */
  real(): number {
    return this.#base.now()
  }

  get mode(): ClockMode {
    if (this.#frozen !== undefined) return 'frozen'
    return this.#offset === 0 ? 'real' : 'moved'
  }

  /** Moves the clock to a time. A frozen clock stays frozen, any other clock continues to run. */
  moveTo(ms: number): void {
    if (this.#frozen === undefined) this.#offset = ms - this.#base.now()
    else this.#frozen = ms
  }

  /** Stops the clock at the current time. */
  freeze(): void {
    this.#frozen ??= this.now()
  }

  /** Starts a frozen clock again, from the time at which it stopped. */
  run(): void {
    if (this.#frozen === undefined) return
    this.#offset = this.#frozen - this.#base.now()
    this.#frozen = undefined
  }

  /** Returns to the time of the computer. */
  reset(): void {
    this.#offset = 0
    this.#frozen = undefined
  }
}

/** A clock that only moves when `advance` is called, for tests and deterministic instances. */
export function frozenClock(start: string | number): Clock & { advance(ms: number): void } {
  let current = typeof start === 'number' ? start : Date.parse(start)
  return {
    now: () => current,
    advance(ms) {
      current += ms
    },
  }
}

/** A time as it is stored and sent: ISO 8601, UTC, always three decimals (`2026-01-31T08:00:00.000Z`). */
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
