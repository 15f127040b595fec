import { setImmediate } from 'node:timers/promises'

import type { Ctx } from '../../ctx.ts'
import { cron, type CronLine } from '../../jobs/job.ts'
import { sweepDelayed, sweepPending, sweepResources, sweepRunning } from './processing/sweep.ts'
import { failuresSince } from './reports/read.ts'
import { removeFailures } from './reports/store.ts'
import { archiveRemaining } from './traces/archive.ts'

/** The maximum number of test failures that one statement removes. */
const BATCH = 500

/** Deletes test failures that are too old for the number of recent failures. */
export async function forgetOldFailures(ctx: Ctx): Promise<void> {
  while (removeFailures(ctx.db, failuresSince(ctx), BATCH) === BATCH) await setImmediate()
}

export const crons: CronLine[] = [
  // Fails jobs of runners that no longer report, and starts delayed jobs that became due while the machine was off.
  cron('ci.sweep_jobs', '* * * * *', (ctx) => {
    sweepDelayed(ctx)
    sweepRunning(ctx)
    sweepResources(ctx)
  }),
  cron('ci.sweep_pending_jobs', '*/10 * * * *', sweepPending),
  cron('ci.forget_test_failures', '20 4 * * *', forgetOldFailures),
  cron('ci.archive_left_traces', '50 3 * * *', archiveRemaining),
]
