import { cron, jobOf, type CronLine, type Job } from '../../../jobs/job.ts'
import { readCoverage } from './coverage.ts'
import { startDelayed, sweepDelayed, sweepPending, sweepResources, sweepRunning } from './sweep.ts'
import { makeDownstream } from './downstream.ts'
import { coverageJob, downstreamJob, upstreamStatusJob, startDelayedJob } from './state.ts'

export const jobs: Job[] = [
  jobOf(startDelayedJob, (ctx, { job_id }) => startDelayed(ctx, job_id)) as Job,
  jobOf(downstreamJob, (ctx, { job_id }) => makeDownstream(ctx, job_id)) as Job,
  jobOf(upstreamStatusJob, (ctx, { job_id }) => makeDownstream(ctx, job_id)) as Job,
  jobOf(coverageJob, (ctx, { job_id }) => readCoverage(ctx, job_id)) as Job,
]

export const crons: CronLine[] = [
  // Fails jobs of runners that no longer report, and starts delayed jobs that became due while the machine was off.
  cron('ci.sweep_jobs', '* * * * *', (ctx) => {
    sweepDelayed(ctx)
    sweepRunning(ctx)
    sweepResources(ctx)
  }),
  cron('ci.sweep_pending_jobs', '*/10 * * * *', sweepPending),
]
