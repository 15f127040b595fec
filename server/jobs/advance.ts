import { performance } from 'node:perf_hooks'

import type { MovableClock } from '../lib/clock.ts'
import type { RunNote } from './crons.ts'
import type { JobRunner } from './runner.ts'

/** The runs while the clock was moved, by job or cron line. */
export interface RunSum {
  readonly kind: RunNote['kind']
  readonly name: string
  readonly count: number
  readonly failed: number
  readonly first_at: string
  readonly last_at: string
}

/** The time that the clock reached, and the runs, in the order of the first run. */
export interface Advance {
  /** False if the time limit ended it before the target. */
  readonly isComplete: boolean
  readonly runs: RunSum[]
}

/**
 * Moves the clock forward to `target`, from one due job or cron line to the next. Each runs at its own time, and all
 * work that is due at one moment ends before the clock goes on. Stops after `limitMs` of the computer's time at the
 * time that the clock has reached.
 */
export async function advance(
  runner: JobRunner,
  clock: MovableClock,
  { target, limitMs, signal }: { target: number; limitMs: number; signal: AbortSignal },
): Promise<Advance> {
  const sums = new Map<string, RunSum>()
  const until = performance.now() + limitMs
  const isLate = (): boolean => performance.now() > until || signal.aborted
  const wasFrozen = clock.mode === 'frozen'
  const forget = runner.observe((note) => add(sums, note))
  // Otherwise the time that passes while work runs would be added.
  clock.freeze()
  try {
    for (let next = 0; next <= target;) {
      if (!(await drained(runner, until - performance.now()))) break
      next = runner.nextDue()
      if (isLate()) break
      if (next <= target) clock.moveTo(next)
      else clock.moveTo(target)
    }
    const isComplete =
      clock.now() >= target && !isLate() && (await drained(runner, until - performance.now()))
    return { isComplete, runs: [...sums.values()] }
  } finally {
    forget()
    if (!wasFrozen) clock.run()
  }
}

function add(sums: Map<string, RunSum>, { kind, name, at, isFailed }: RunNote): void {
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
async function drained(runner: JobRunner, limitMs: number): Promise<boolean> {
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
