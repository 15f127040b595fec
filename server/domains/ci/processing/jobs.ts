import { z } from 'zod'

import { job, type Job } from '../../../jobs/job.ts'
import { readCoverage } from './coverage.ts'
import { startDelayed } from './delayed.ts'
import { makeDownstream } from './downstream.ts'

const args = { job_id: z.number() }

/** Starts a delayed job when its time has come. */
export const startDelayedJob = job('ci.start_delayed', { args }, (ctx, { job_id }) =>
  startDelayed(ctx, job_id),
)

/** Makes the pipeline of a trigger job. */
export const downstreamJob = job('ci.create_downstream', { args }, (ctx, { job_id }) =>
  makeDownstream(ctx, job_id),
)

/** Looks again at the pipeline of another project that a job takes its status from. */
export const mirrorJob = job('ci.mirror_pipeline', { args }, (ctx, { job_id }) => makeDownstream(ctx, job_id))

/** Looks into the log of a job that is over for the share of code that its tests ran through. */
export const coverageJob = job('ci.read_coverage', { args }, (ctx, { job_id }) => readCoverage(ctx, job_id))

export const jobs: Job[] = [
  startDelayedJob as Job,
  downstreamJob as Job,
  mirrorJob as Job,
  coverageJob as Job,
]
