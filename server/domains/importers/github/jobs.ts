import { z } from 'zod'

import { job } from '../../../jobs/job.ts'
import { runGists } from './gists/run.ts'
import { withPlace } from './places.ts'
import { runImport } from './run.ts'

/** Fills a project from another host. What goes wrong becomes the status of the import. */
export const importHostA = job(
  'host_imports.host_a',
  { args: { project_id: z.number() }, retries: 3, lane: 'outside' },
  (ctx, { project_id }) => withPlace(ctx, project_id, () => runImport(ctx, project_id)),
)

/** Makes snippets of somebody's gists. */
export const importGists = job(
  'host_imports.gists',
  { args: { user_id: z.number() }, retries: 3, lane: 'outside' },
  (ctx, { user_id }) => runGists(ctx, user_id),
)

export const jobs = [importHostA, importGists]
