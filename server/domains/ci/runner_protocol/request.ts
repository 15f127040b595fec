import type { Ctx } from '../../../ctx.ts'
import { isoTime } from '../../../lib/clock.ts'
import { dropJob } from '../processing/run.ts'
import { runnerById, type RunnerRow } from '../runners/store.ts'
import type { RunnerFeatures } from './features.ts'
import { holdOf } from './processes.ts'
import { news, queueValue } from './queue.ts'
import { takeJob, type Taken } from './take.ts'

/** A runner that asks for a job. */
export interface Asking {
  readonly runner: RunnerRow
  readonly system_id: string | null
  /** What tells the process that asks from others. */
  readonly process: string
  readonly features: RunnerFeatures
  /** The queue value that it was told last. */
  readonly last_update: string | undefined
  /** Aborted when the runner goes away. */
  readonly signal: AbortSignal
}

/** A job; or no job, with the queue value that held before it was looked for. */
export type Answer =
  | { readonly job: Exclude<Taken, undefined> }
  | { readonly job: undefined; readonly value: string }

/**
 * Finds a job for a runner, in the order of spec ci 1.6. A runner that knows already that there is none is kept waiting
 * until something may have changed, for half a minute at most, so that jobs start at once and nobody asks for nothing.
 */
export async function requestJob(ctx: Ctx, asking: Asking): Promise<Answer> {
  const { runner } = asking
  const most = holdOf(ctx, runner.id, asking.process)
  const value = queueValue(ctx, runner.id)
  if (runner.paused === 1) return { job: undefined, value }
  if (asking.last_update !== value) return look(ctx, asking, value)
  const time = await news(ctx, runner.id, { most, signal: asking.signal })
  if (asking.signal.aborted) return { job: undefined, value }
  // Time has gone by, and the runner may have been changed or removed.
  const later = { ...ctx, now: time ?? isoTime(Date.parse(ctx.now) + most) }
  const present = runnerById(ctx.db, runner.id)
  if (!present || present.paused === 1) return { job: undefined, value }
  return look(later, { ...asking, runner: present }, queueValue(later, runner.id))
}

async function look(ctx: Ctx, asking: Asking, value: string): Promise<Answer> {
  const job = await takeJob(ctx, asking)
  if (job === undefined) return { job, value }
  // Nobody is there to run it. It is repeated by itself, as after any other failure to hand it over.
  if (asking.signal.aborted && job !== 'conflict') dropJob(ctx, job, 'scheduler_failure')
  return { job }
}
