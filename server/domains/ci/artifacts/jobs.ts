import { z } from 'zod'

import { cron, job, type CronLine, type Job } from '../../../jobs/job.ts'
import { removeDeletedFiles, removeDeletedFilesJob, removeOrphans } from './disk.ts'
import { expireAllNow, expire } from './expiry.ts'

/** Lets the artifacts of all jobs of a project expire now, and deletes those that are not kept. */
export const endArtifacts = job(
  'ci.end_artifacts',
  { args: { project_id: z.number() } },
  async (ctx, { project_id }) => {
    await expireAllNow(ctx, project_id)
    await expire(ctx)
  },
)

export const jobs: Job[] = [removeDeletedFilesJob as Job, endArtifacts as Job]

export const crons: CronLine[] = [
  cron('ci.expire_artifacts', '7 * * * *', expire),
  // When artifacts are deleted together with their pipeline, nothing enqueues the deletion of their files.
  cron('ci.remove_gone_artifact_files', '*/10 * * * *', removeDeletedFiles),
  cron('ci.remove_orphaned_artifacts', '50 3 * * *', removeOrphans),
]
