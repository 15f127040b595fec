import type { Ctx } from '../../../../ctx.ts'
import { isoTime } from '../../../../lib/clock.ts'

/** Why the work of an export ends before it is done. */
export class ExportInterrupted extends Error {
  /** `canceled`: somebody took it back. `stopping`: the instance stops, and the job comes back at the next start. */
  readonly reason: 'canceled' | 'stopping'

  constructor(reason: 'canceled' | 'stopping') {
    super(reason === 'canceled' ? 'The export was canceled.' : 'The instance is stopping.')
    this.name = 'ExportInterrupted'
    this.reason = reason
  }
}

interface Runs {
  readonly byId: Map<number, AbortController>
  isStopping: boolean
}

/** The work that is under way, so that it can be ended. */
function runsOf({ db }: Pick<Ctx, 'db'>): Runs {
  return db.instance('exports.running', () => ({
    byId: new Map<number, AbortController>(),
    isStopping: false,
  }))
}

/** Does the work of an export in such a way that it can be ended. */
export async function abortable<T>(
  ctx: Pick<Ctx, 'db'>,
  id: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const runs = runsOf(ctx)
  const controller = new AbortController()
  if (runs.isStopping) controller.abort(new ExportInterrupted('stopping'))
  runs.byId.set(id, controller)
  try {
    controller.signal.throwIfAborted()
    return await work(controller.signal)
  } finally {
    if (runs.byId.get(id) === controller) runs.byId.delete(id)
  }
}

/** Ends the work of an export, if any is under way. */
export function interrupt(ctx: Pick<Ctx, 'db'>, id: number): void {
  runsOf(ctx).byId.get(id)?.abort(new ExportInterrupted('canceled'))
}

/** Ends all that is under way. To be called when the instance closes. */
export function stopExports(ctx: Pick<Ctx, 'db'>): void {
  const runs = runsOf(ctx)
  runs.isStopping = true
  for (const controller of runs.byId.values()) controller.abort(new ExportInterrupted('stopping'))
}

/** The context with the time as it is now: that of a job keeps the time of its beginning, and exports take long. */
export function timed(ctx: Ctx): () => Ctx {
  const begun = performance.now()
  return () => ({ ...ctx, now: isoTime(Date.parse(ctx.now) + Math.floor(performance.now() - begun)) })
}
