import { cron, type CronLine } from '../../../jobs/job.ts'
import { sweepDelayed, sweepPending, sweepResources, sweepRunning } from './sweep.ts'

/** Ends or starts jobs after runners went away or the machine was off. */
export const crons: CronLine[] = [
  cron('ci.sweep_jobs', '* * * * *', (ctx) => {
    sweepDelayed(ctx)
    sweepRunning(ctx)
    sweepResources(ctx)
  }),
  cron('ci.sweep_pending_jobs', '*/10 * * * *', sweepPending),
]
