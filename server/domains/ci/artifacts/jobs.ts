import { z } from 'zod'

import { job, type Job } from '../../../jobs/job.ts'
import { removeGoneFiles } from './disk.ts'
import { endAll, expire } from './expiry.ts'

/** Lets everything that the jobs of a project left end, and removes what nothing keeps. */
export const endArtifacts = job(
  'ci.end_artifacts',
  { args: { project_id: z.number() } },
  async (ctx, { project_id }) => {
    await endAll(ctx, project_id)
    await expire(ctx)
  },
)

export const jobs: Job[] = [removeGoneFiles as Job, endArtifacts as Job]
