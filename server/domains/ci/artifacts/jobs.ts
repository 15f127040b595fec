import { z } from 'zod'

import { cron, job, type CronLine, type Job } from '../../../jobs/job.ts'
import { removeGone, removeGoneFiles, removeOrphans } from './disk.ts'
import { endAll, expire } from './expiry.ts'

/** Expires the artifacts of all jobs of a project and deletes those that are not kept. */
export const endArtifacts = job(
  'ci.end_artifacts',
  { args: { project_id: z.number() } },
  async (ctx, { project_id }) => {
    await endAll(ctx, project_id)
    await expire(ctx)
  },
)

export const jobs: Job[] = [removeGoneFiles as Job, endArtifacts as Job]

export const crons: CronLine[] = [
  cron('ci.expire_artifacts', '7 * * * *', expire),
  // Artifacts deleted together with their pipeline have enqueued no deletion of their files.
  cron('ci.remove_gone_artifact_files', '*/10 * * * *', removeGone),
  cron('ci.remove_orphaned_artifacts', '50 3 * * *', removeOrphans),
]
