import { z } from 'zod'

import { event } from '../../events/event.ts'

/** The state or progress of a storage move changed. */
export const StorageMoveChanged = event('storage_move.changed', {
  storage_move_id: z.number(),
  kind: z.enum(['project', 'snippet', 'group']),
  state: z.string(),
  actor_id: z.number().nullable(),
})

/** The gates of a feature changed, or the feature was deleted. */
export const FeatureChanged = event('instance_feature.changed', {
  name: z.string(),
  state: z.string(),
  actor_id: z.number().nullable(),
})
