import { z } from 'zod'

import { job, type Job } from '../../../jobs/job.ts'
import type { ImportJob } from '../hosts/ending.ts'
import { runGists } from './gists.ts'
import { runImport } from './run.ts'

/** Fills a project from GitHub. A failure becomes the status of the import. */
export const importGithub: ImportJob = job(
  'host_imports.host_a',
  { args: { project_id: z.number() }, retries: 3, lane: 'outside' },
  (ctx, { project_id }) => runImport(ctx, project_id, importGithub),
)

/** Creates snippets from the gists of a user. */
export const importGists: Job<{ user_id: number }> = job(
  'host_imports.gists',
  { args: { user_id: z.number() }, retries: 3, lane: 'outside' },
  (ctx, { user_id }) => runGists(ctx, user_id, importGists),
)

export const jobs = [importGithub, importGists]
