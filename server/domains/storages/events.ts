import { z } from 'zod'

import { event } from '../../events/event.ts'

/** A folder for repositories was added or taken away. */
export const StorageChanged = event('storage.changed', {
  name: z.string(),
  action: z.enum(['added', 'removed']),
  actor_id: z.number().nullable(),
})
