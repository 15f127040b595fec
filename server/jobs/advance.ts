import { performance } from 'node:perf_hooks'

import type { MovableClock } from '../lib/clock.ts'
import type { RunReport } from './crons.ts'
import type { JobRunner } from './runner.ts'

/** The runs of one job or cron line while the clock was moved. */
export interface RunSummary {
  readonly kind: RunReport['kind']
  readonly name: string
  readonly count: number
  readonly failed: number
  readonly first_at: string
  readonly last_at: string
}

/** The result of moving the clock. `runs` are in the order of their first run. */
export interface Advance {
  /** False if the time limit was reached before the target. */
  readonly isComplete: boolean
  readonly runs: RunSummary[]
}

/**
 * Moves the clock forward to `target`, from one due job or cron line to the next. Each runs at its due time, and all
 * work that is due at one moment ends before the clock moves on. After `limitMs` of real time the clock stops where it
 * is.
 */
export async function advance(
  runner: JobRunner,
  clock: MovableClock,
  { target, limitMs, signal }: { target: number; limitMs: number; signal: AbortSignal },
): Promise<Advance> {
  const sums = new Map<string, RunSummary>()
  const deadline = performance.now() + limitMs
  const isLate = (): boolean => performance.now() > deadline || signal.aborted
  const wasFrozen = clock.mode === 'frozen'
  const stopObserving = runner.observe((note) => add(sums, note))
  // A running clock would also add the time that the work takes.
  clock.freeze()
  try {
    for (let next = 0; next <= target;) {
      if (!(await drainWithin(runner, deadline - performance.now()))) break
      next = runner.nextDue()
      if (isLate()) break
      if (next <= target) clock.moveTo(next)
      else clock.moveTo(target)
    }
    const isComplete =
      clock.now() >= target && !isLate() && (await drainWithin(runner, deadline - performance.now()))
    return { isComplete, runs: [...sums.values()] }
  } finally {
    stopObserving()
    if (!wasFrozen) clock.run()
  }
}

function add(sums: Map<string, RunSummary>, { kind, name, at, isFailed }: RunReport): void {
  const key = `${kind} ${name}`
  const existing = sums.get(key)
  sums.set(key, {
    kind,
    name,
    count: (existing?.count ?? 0) + 1,
    failed: (existing?.failed ?? 0) + (isFailed ? 1 : 0),
    first_at: existing?.first_at ?? at,
    last_at: at,
  })
}

/** Waits until nothing is due. False if work does not end in time. */
async function drainWithin(runner: JobRunner, limitMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), Math.max(0, limitMs))
  })
  try {
    return await Promise.race([runner.drain().then(() => true), timeout])
  } finally {
    clearTimeout(timer)
  }
}
