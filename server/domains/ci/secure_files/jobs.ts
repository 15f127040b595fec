import { z } from 'zod'

import { cron, job, type CronLine, type Job } from '../../../jobs/job.ts'
import { removeContent, removeOrphans, describe } from './describe.ts'

/** Parses the metadata of a new file. */
export const describeFile = job(
  'ci.describe_secure_file',
  { args: { secure_file_id: z.number() } },
  (ctx, { secure_file_id }) => describe(ctx, secure_file_id),
)

/** Deletes the content of a deleted file. */
export const removeStored = job(
  'ci.remove_secure_file',
  { args: { project_id: z.number(), stored_as: z.string() } },
  removeContent,
)

export const jobs: Job[] = [describeFile as Job, removeStored as Job]

export const crons: CronLine[] = [cron('ci.remove_orphaned_secure_files', '35 3 * * *', removeOrphans)]
