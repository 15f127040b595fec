import type { Ctx } from '../../../ctx.ts'

/** The instance is closing; the job comes back at the next start. */
export class Closing extends Error {}

/** The moves that are under way, so that they can be ended when the instance closes. */
function runsOf({ db }: Pick<Ctx, 'db'>): Set<AbortController> {
  return db.instance('storage_moves.running', () => new Set<AbortController>())
}

/** Runs a move so that the end of the instance ends it. */
export async function abortable<T>(
  ctx: Pick<Ctx, 'db'>,
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
export function stopStorageMoves(ctx: Pick<Ctx, 'db'>): void {
  for (const controller of runsOf(ctx)) controller.abort(new Closing('The instance is closing.'))
}
