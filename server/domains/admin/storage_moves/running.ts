import type { Ctx } from '../../../ctx.ts'

/** The moves that are under way in each instance, so that they can be ended when it closes. */
const underWay = new WeakMap<Ctx['facts'], Set<AbortController>>()

/** The instance is closing; the job comes back at the next start. */
export class Closing extends Error {}

function runsOf({ facts }: Pick<Ctx, 'facts'>): Set<AbortController> {
  const known = underWay.get(facts) ?? new Set()
  underWay.set(facts, known)
  return known
}

/** Runs a move so that the end of the instance ends it. */
export async function abortable<T>(
  ctx: Pick<Ctx, 'facts'>,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController()
  const runs = runsOf(ctx).add(controller)
  try {
    return await work(controller.signal)
  } finally {
    runs.delete(controller)
  }
}

/** Ends the moves that are under way. To be called when the instance closes; they begin anew at the next start. */
export function stopStorageMoves(ctx: Pick<Ctx, 'facts'>): void {
  for (const controller of runsOf(ctx)) controller.abort(new Closing('The instance is closing.'))
}
