import { z } from 'zod'

import { job } from '../../../../jobs/job.ts'
import { takeOver } from './run.ts'

/** Takes an archive over into its group. One that was cut off is begun anew, with what it had made taken away. */
export const importGroup = job(
  'group_transfer.import',
  { args: { group_id: z.number() }, retries: 100, lane: 'outside' },
  (ctx, { group_id }) => takeOver(ctx, group_id),
)
