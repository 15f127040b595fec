import type { Ctx } from '../../../ctx.ts'
import { runnerOf } from '../../../jobs/runner.ts'
import { fail } from '../../../lib/fail.ts'
import { GateBusy, removalsOf, type Gate } from '../../../lib/gate.ts'
import { requestHoldOf } from '../../../lib/request-hold.ts'
import { endHeldRequests } from '../../ci/index.ts'

/** The time limit for running requests, jobs and git commands, in milliseconds. */
const PATIENCE_MS = 5000

/**
 * Waits until nothing changes the instance, and holds new requests, jobs and git commands. Returns a function that ends
 * the hold. If running work takes too long, ends the hold and throws 409.
 */
export async function waitForQuiet(ctx: Ctx): Promise<() => void> {
  const runner = runnerOf(ctx.db)
  const resumeSteps: (() => void)[] = []
  const resume = (): void => {
    for (const resumeStep of resumeSteps.splice(0).reverse()) resumeStep()
  }
  try {
    // Jobs first, because they may send requests to this instance.
    resumeSteps.push(() => runner.start())
    if (!(await runner.pause(PATIENCE_MS)))
      throw fail('conflict', 'Some background work did not end in time; please try again later.')
    endHeldRequests(ctx)
    const open = await requestHoldOf(ctx.db).close(PATIENCE_MS)
    if (!open) throw fail('conflict', 'Some requests did not end in time; please try again later.')
    resumeSteps.push(open)
    const { writers, refs, removals } = ctx.git.gates
    for (const gate of [writers, refs, removals, removalsOf(ctx.config)]) resumeSteps.push(await close(gate))
    return resume
  } catch (error) {
    resume()
    throw error
  }
}

async function close(gate: Gate): Promise<() => void> {
  try {
    return await gate.close(PATIENCE_MS)
  } catch (error) {
    if (!(error instanceof GateBusy)) throw error
    throw fail('conflict', 'The repositories are being changed; please try again later.')
  }
}
