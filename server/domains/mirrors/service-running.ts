import { performance } from 'node:perf_hooks'

import type { Ctx } from '../../ctx.ts'
import { isoTime } from '../../lib/clock.ts'

/** The update was ended because its mirror was changed or deleted. No failure is reported. */
export class Superseded extends Error {}

/** The instance is closing. The job runs again at the next start. */
export class Closing extends Error {}

/** The running updates by name. */
function runsOf({ db }: Pick<Ctx, 'db'>): Map<string, AbortController> {
  return db.instance('mirrors.running', () => new Map<string, AbortController>())
}

/** Runs an update under a name, so that it can be ended. */
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

/** Ends a running update after its mirror was changed or deleted. */
export function supersede(ctx: Pick<Ctx, 'db'>, name: string): void {
  runsOf(ctx).get(name)?.abort(new Superseded('The mirror was changed.'))
}

/** Ends all running updates. Call it when the instance closes. */
export function stopMirrors(ctx: Pick<Ctx, 'db'>): void {
  for (const controller of runsOf(ctx).values()) controller.abort(new Closing('The instance is closing.'))
}

/** Makes a clock for long work: the time of the context plus the elapsed whole seconds. */
export function stopwatch({ now }: Pick<Ctx, 'now'>): () => string {
  const begun = performance.now()
  return () => isoTime(Date.parse(now) + Math.floor((performance.now() - begun) / 1000) * 1000)
}
