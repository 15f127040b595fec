import { z } from 'zod'

import { job } from '../../../jobs/job.ts'
import { runImport } from './run.ts'

/** Fills a project from another host. What goes wrong becomes the status of the import. */
export const importHostB = job(
  'host_imports.host_b',
  { args: { project_id: z.number() }, retries: 3, lane: 'outside' },
  (ctx, { project_id }) => runImport(ctx, project_id),
)

export const jobs = [importHostB]
