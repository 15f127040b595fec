import type { Ctx } from '../../../ctx.ts'

/** A request is held this long while there is nothing new (spec ci 1.6: at most 20 to 30 s). */
export const HOLD_MS = 25_000
/** The same where other runners of the process wait for their turn. */
const SHARED_HOLD_MS = 3000
/** A runner that did not ask for so long is no longer one of its process. */
const GONE_MS = 120_000
const MAX_PROCESSES = 2000

/**
 * How long a request of a runner may be held. One process may ask for several runners, and as long as it waits for the
 * answer to one, it takes no jobs for the others: with the usual settings it asks for one at a time.
 */
export function holdOf({ db, now }: Pick<Ctx, 'db' | 'now'>, runnerId: number, process: string): number {
  // When each runner of a process asked last, milliseconds, by the process.
  const processes = db.instance('ci.runner_processes', () => new Map<string, Map<number, number>>())
  const asked = processes.get(process) ?? new Map<number, number>()
  const time = Date.parse(now)
  for (const [id, at] of asked) if (time - at > GONE_MS) asked.delete(id)
  asked.set(runnerId, time)
  processes.delete(process)
  processes.set(process, asked)
  if (processes.size > MAX_PROCESSES) processes.delete(processes.keys().next().value!)
  return asked.size > 1 ? SHARED_HOLD_MS : HOLD_MS
}
