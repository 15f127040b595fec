import { z } from 'zod'

import { event } from '../../events/event.ts'

/** A feature was set, or reset to its default. */
export const FeatureChanged = event('instance_feature.changed', {
  name: z.string(),
  state: z.string(),
  actor_id: z.number().nullable(),
})
