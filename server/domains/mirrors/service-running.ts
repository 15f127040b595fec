import { performance } from 'node:perf_hooks'

import type { Ctx } from '../../ctx.ts'
import { isoTime } from '../../lib/clock.ts'

/** The update was ended because what it worked on was changed or removed; nothing has to be told of it. */
export class Superseded extends Error {}

/** The instance is closing; the job comes back at the next start. */
export class Closing extends Error {}

/** The updates that are under way, so that they can be ended. */
function runsOf({ db }: Pick<Ctx, 'db'>): Map<string, AbortController> {
  return db.instance('mirrors.running', () => new Map<string, AbortController>())
}

/** Runs one update under a name by which it can be ended. */
export async function abortable<T>(
  ctx: Pick<Ctx, 'db'>,
  name: string,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const runs = runsOf(ctx)
  const controller = new AbortController()
  runs.set(name, controller)
  try {
    return await work(controller.signal)
  } finally {
    if (runs.get(name) === controller) runs.delete(name)
  }
}

/** Ends an update that is under way, if there is one: it is about something that holds no more. */
export function supersede(ctx: Pick<Ctx, 'db'>, name: string): void {
  runsOf(ctx).get(name)?.abort(new Superseded('The mirror was changed.'))
}

/** Ends all updates that are under way. To be called when the instance closes. */
export function stopMirrors(ctx: Pick<Ctx, 'db'>): void {
  for (const controller of runsOf(ctx).values()) controller.abort(new Closing('The instance is closing.'))
}

/** A clock for what takes longer than a request: the time of the context, and the seconds that went by since. */
export function stopwatch({ now }: Pick<Ctx, 'now'>): () => string {
  const begun = performance.now()
  return () => isoTime(Date.parse(now) + Math.floor((performance.now() - begun) / 1000) * 1000)
}
