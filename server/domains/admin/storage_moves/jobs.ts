import type { Job } from '../../../jobs/job.ts'
import { bulkJobs } from './bulk-job.ts'
import { moveJobs } from './move-job.ts'

export const jobs: Job[] = [...moveJobs, ...bulkJobs] as Job[]
