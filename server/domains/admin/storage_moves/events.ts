import { z } from 'zod'

import { event } from '../../../events/event.ts'

/** A move of a repository between storages was scheduled, went on or ended. Progress within a state is told too. */
export const StorageMoveChanged = event('storage_move.changed', {
  storage_move_id: z.number(),
  kind: z.enum(['project', 'snippet', 'group']),
  state: z.string(),
  actor_id: z.number().nullable(),
})
