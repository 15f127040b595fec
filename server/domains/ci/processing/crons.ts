import { cron, type CronLine } from '../../../jobs/job.ts'
import { sweepPending } from './sweep-pending.ts'
import { sweepDelayed, sweepResources, sweepRunning } from './sweep.ts'

/** What settles jobs that nobody settles: runners that went away, a machine that was off. */
export const crons: CronLine[] = [
  cron('ci.sweep_jobs', '* * * * *', (ctx) => {
    sweepDelayed(ctx)
    sweepRunning(ctx)
    sweepResources(ctx)
  }),
  cron('ci.sweep_pending_jobs', '*/10 * * * *', sweepPending),
]
