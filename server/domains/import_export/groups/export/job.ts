import { z } from 'zod'

import { job } from '../../../../jobs/job.ts'
import { makeExport } from './make.ts'

/** Writes the archive of a group. One that was cut off is begun anew; nothing but the end of the instance makes it throw. */
export const exportGroup = job(
  'group_transfer.export',
  { args: { export_id: z.number() }, retries: 100, lane: 'outside' },
  (ctx, { export_id }) => makeExport(ctx, export_id),
)
