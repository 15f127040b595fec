import { z } from 'zod'

import { event } from '../../events/event.ts'

/** A backup was requested, made progress, ended or was deleted. */
export const BackupChanged = event('backup.changed', {
  backup_id: z.number(),
  state: z.string(),
  actor_id: z.number().nullable(),
})
