import type { Ctx } from '../../../ctx.ts'

/** Somebody who asked for a log this lately is still looking at it, milliseconds (spec ci 1.9). */
const WATCHED_MS = 10_000
/** More logs than anybody looks at; the longest forgotten ones go first. */
const MAX_WATCHED = 1000

/** Seconds after which a runner sends what is new in a log (spec ci 1.9). On one's own machine that costs little. */
const WATCHED_INTERVAL = 3
const IDLE_INTERVAL = 6

/** When the log of a job was last asked for, oldest first. */
const watchedIn = (db: Ctx['db']) => db.instance('ci.watched_traces', () => new Map<number, number>())

/** Somebody looks at the log of a job. */
export function noteWatched({ db, now }: Pick<Ctx, 'db' | 'now'>, jobId: number): void {
  const watched = watchedIn(db)
  watched.delete(jobId)
  watched.set(jobId, Date.parse(now))
  if (watched.size > MAX_WATCHED) watched.delete(watched.keys().next().value!)
}

/** Seconds until a runner should send more of a log: few while somebody looks at it. */
export function traceInterval({ db, now }: Pick<Ctx, 'db' | 'now'>, jobId: number): number {
  const at = watchedIn(db).get(jobId)
  return at !== undefined && Date.parse(now) - at <= WATCHED_MS ? WATCHED_INTERVAL : IDLE_INTERVAL
}
