import { z } from 'zod'

import { event } from '../../../events/event.ts'

/** A folder for repositories was added or taken away. */
export const StorageChanged = event('storage.changed', {
  name: z.string(),
  action: z.enum(['added', 'removed']),
  actor_id: z.number().nullable(),
})

/** An administrator wants the repository of a project to lie in another storage; it has not moved yet. */
export const StorageChosen = event('storage.chosen', {
  project_id: z.number(),
  storage: z.string(),
  actor_id: z.number().nullable(),
})
