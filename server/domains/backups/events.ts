import { z } from 'zod'

import { event } from '../../events/event.ts'

/** A backup was asked for, went on, ended or was removed. */
export const BackupChanged = event('backup.changed', {
  backup_id: z.number(),
  state: z.string(),
  actor_id: z.number().nullable(),
})
