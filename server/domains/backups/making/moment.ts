import { setTimeout as pause } from 'node:timers/promises'

import type { Ctx } from '../../../ctx.ts'
import { GateBusy, removalsOf, type Gate } from '../../../lib/gate.ts'
import { BackupProblem } from '../archive/problem.ts'

/** How long one attempt waits for what is under way; everybody who comes meanwhile waits too. */
const PATIENCE_MS = 5000
const ATTEMPTS = 4
const PAUSE_MS = 2000

/** A moment in which nothing changes. */
export interface Moment {
  /** Refs may be moved again. */
  release(): void
  /** And files removed. */
  end(): void
}

/**
 * Waits until no ref is being moved and no stored file removed, and holds back whoever wants to: requests wait, none fails.
 * Throws BackupProblem where that does not come about, after some attempts between which everybody goes on.
 */
export async function holdMoment(ctx: Pick<Ctx, 'git' | 'config'>): Promise<Moment> {
  const { writers, refs, removals } = ctx.git.gates
  const files = removalsOf(ctx.config)
  for (let attempt = 1; ; attempt++) {
    try {
      // Writers first: they move refs and remove things themselves. Whoever is inside must come to an end.
      const still = await closeAll([writers, refs])
      const kept = await closeAll([removals, files]).catch((error: unknown) => {
        still()
        throw error
      })
      return { release: still, end: kept }
    } catch (error) {
      if (!(error instanceof GateBusy)) throw error
      if (attempt === ATTEMPTS)
        throw new BackupProblem('Changes of repositories did not come to rest; please try again later.')
      await pause(PAUSE_MS)
    }
  }
}

async function closeAll(gates: readonly Gate[]): Promise<() => void> {
  const opens: (() => void)[] = []
  const open = (): void => opens.forEach((one) => one())
  try {
    for (const gate of gates) opens.push(await gate.close(PATIENCE_MS))
    return open
  } catch (error) {
    open()
    throw error
  }
}
