import type { Ctx } from '../../../ctx.ts'
import { isoTime } from '../../../lib/clock.ts'

/** The sweeper looks every minute; when it did not for this long, the machine slept or the instance was off. */
const GAP_MS = 5 * 60_000

const instances = new WeakMap<Ctx['db'], { since: string; last: string }>()

/**
 * Since when the instance has been up without a break. Who was silent before that cannot be blamed for it: while a laptop
 * sleeps, its runners do as well.
 */
export function awakeSince({ db, now }: Pick<Ctx, 'db' | 'now'>): string {
  const known = instances.get(db)
  if (known && Date.parse(now) - Date.parse(known.last) <= GAP_MS) {
    known.last = now
    return known.since
  }
  instances.set(db, { since: now, last: now })
  return now
}

/** The time so many milliseconds before now. */
export function ago({ now }: Pick<Ctx, 'now'>, ms: number): string {
  return isoTime(Date.parse(now) - ms)
}

/** The later one of two times. */
export function later(one: string, other: string): string {
  return one > other ? one : other
}
