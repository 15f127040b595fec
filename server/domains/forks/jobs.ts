import { z } from 'zod'

import { job, type Job } from '../../jobs/job.ts'
import { copyRepository } from './copy.ts'

/** Copies the repository of a project into its new fork. */
export const copyFork = job(
  'forks.copy_repository',
  { args: { project_id: z.number(), source_id: z.number() } },
  (ctx, args) => copyRepository(ctx, args.project_id, args.source_id),
)

export const jobs: Job[] = [copyFork]
