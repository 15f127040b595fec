import { z } from 'zod'

import { job } from '../../../../jobs/job.ts'
import { makeExport } from './make.ts'

/** Writes the archive of a project. One that was cut off is begun anew. */
export const exportProject = job(
  'transfer.export_project',
  { args: { export_id: z.number() }, retries: 3, lane: 'outside' },
  (ctx, { export_id }) => makeExport(ctx, export_id),
)
