import { performance } from 'node:perf_hooks'

import type { Ctx } from '../../../ctx.ts'
import { isoTime } from '../../../lib/clock.ts'

/** Somebody took the work back, or what it was about is gone; there is nothing to be told of it. */
export class TakenBack extends Error {}

/** The instance stops; the job comes back at the next start. */
export class Stopping extends Error {}

interface Runs {
  readonly byName: Map<string, AbortController>
  isStopping: boolean
}

/** The work that is under way, so that it can be ended. */
function runsOf({ db }: Pick<Ctx, 'db'>): Runs {
  return db.instance('group_transfers.running', () => ({
    byName: new Map<string, AbortController>(),
    isStopping: false,
  }))
}

/** Runs something long under a name by which it can be ended. */
export async function abortable<T>(
  ctx: Pick<Ctx, 'db'>,
  name: string,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const runs = runsOf(ctx)
  const controller = new AbortController()
  if (runs.isStopping) controller.abort(new Stopping('The instance is stopping.'))
  runs.byName.set(name, controller)
  try {
    controller.signal.throwIfAborted()
    return await work(controller.signal)
  } finally {
    if (runs.byName.get(name) === controller) runs.byName.delete(name)
  }
}

/** Ends what is under way under a name, if anything is. */
export function takeBack(ctx: Pick<Ctx, 'db'>, name: string): void {
  runsOf(ctx).byName.get(name)?.abort(new TakenBack('It was taken back.'))
}

/** Ends everything that is under way. To be called when the instance closes. */
export function stopGroupTransfers(ctx: Pick<Ctx, 'db'>): void {
  const runs = runsOf(ctx)
  runs.isStopping = true
  for (const controller of runs.byName.values()) controller.abort(new Stopping('The instance is stopping.'))
}

/** The context with the time as it is now, for what takes longer than a request. */
export function timed<C extends Pick<Ctx, 'now'>>(ctx: C): () => C {
  const begun = performance.now()
  return () => ({ ...ctx, now: isoTime(Date.parse(ctx.now) + Math.floor(performance.now() - begun)) })
}
