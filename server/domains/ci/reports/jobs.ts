import { z } from 'zod'

import { job, type Job } from '../../../jobs/job.ts'
import { readTests } from './read.ts'

/** Reads the junit reports of a job. */
export const readTestReports = job(
  'ci.read_test_reports',
  { args: { job_id: z.number() }, retries: 2 },
  (ctx, { job_id }) => readTests(ctx, job_id),
)

export const jobs: Job[] = [readTestReports as Job]
