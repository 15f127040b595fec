import type { Ctx } from '../../../ctx.ts'
import { isoTime } from '../../../lib/clock.ts'

/** The sweeper looks every minute; when it did not for this long, the machine slept or the instance was off. */
const GAP_MS = 5 * 60_000

/**
 * Since when the instance has been up without a break. Who was silent before that cannot be blamed for it: while a laptop
 * sleeps, its runners do as well.
 */
export function awakeSince({ db, now }: Pick<Ctx, 'db' | 'now'>): string {
  const uptime = db.instance('ci.uptime', () => ({ since: now, last: now }))
  if (Date.parse(now) - Date.parse(uptime.last) > GAP_MS) uptime.since = now
  uptime.last = now
  return uptime.since
}

/** The time so many milliseconds before now. */
export function ago({ now }: Pick<Ctx, 'now'>, ms: number): string {
  return isoTime(Date.parse(now) - ms)
}

/** The later one of two times. */
export function later(one: string, other: string): string {
  return one > other ? one : other
}
