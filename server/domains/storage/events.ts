import { z } from 'zod'
import { event } from '../../events/event.ts'

/** A storage was added or removed. */
export const StorageChanged = event('storage.changed', {
  name: z.string(),
  action: z.enum(['added', 'removed']),
  actor_id: z.number().nullable(),
})

/** An administrator chose another storage for a project. The repository has not been moved yet. */
export const StorageChosen = event('storage.chosen', {
  project_id: z.number(),
  storage: z.string(),
  actor_id: z.number().nullable(),
})
