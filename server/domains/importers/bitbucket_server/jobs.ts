import { z } from 'zod'

import { job } from '../../../jobs/job.ts'
import type { ImportJob } from '../hosts/ending.ts'
import { runImport } from './run.ts'

/** Fills a project from Bitbucket Server. A failure becomes the status of the import. */
export const importBitbucketServer: ImportJob = job(
  'host_imports.host_b',
  { args: { project_id: z.number() }, retries: 3, lane: 'outside' },
  (ctx, { project_id }) => runImport(ctx, project_id, importBitbucketServer),
)

export const jobs = [importBitbucketServer]
