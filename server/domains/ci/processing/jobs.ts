import { jobOf, type Job } from '../../../jobs/job.ts'
import { readCoverage } from './coverage.ts'
import { startDelayed } from './sweep.ts'
import { makeDownstream } from './downstream.ts'
import { coverageJob, downstreamJob, upstreamStatusJob, startDelayedJob } from './state.ts'

export const jobs: Job[] = [
  jobOf(startDelayedJob, (ctx, { job_id }) => startDelayed(ctx, job_id)) as Job,
  jobOf(downstreamJob, (ctx, { job_id }) => makeDownstream(ctx, job_id)) as Job,
  jobOf(upstreamStatusJob, (ctx, { job_id }) => makeDownstream(ctx, job_id)) as Job,
  jobOf(coverageJob, (ctx, { job_id }) => readCoverage(ctx, job_id)) as Job,
]
