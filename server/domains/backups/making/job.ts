import { z } from 'zod'

import { job } from '../../../jobs/job.ts'
import { makeBackup } from './make.ts'

/** Makes a backup. One that was cut off is not taken up again: nobody knows its passphrase any more. */
export const make = job(
  'backups.make',
  { args: { backup_id: z.number() }, retries: 0, lane: 'outside' },
  (ctx, { backup_id }) => makeBackup(ctx, backup_id),
)
