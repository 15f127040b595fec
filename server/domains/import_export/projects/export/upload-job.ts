import { z } from 'zod'

import { job } from '../../../../jobs/job.ts'
import { sendExport } from './upload.ts'

/** Sends a finished archive to where its owner wants it. One that was cut off is sent anew. */
export const uploadExport = job(
  'transfer.upload_export',
  { args: { export_id: z.number() }, retries: 3, lane: 'outside' },
  (ctx, { export_id }) => sendExport(ctx, export_id),
)
