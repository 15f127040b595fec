import { z } from 'zod'

import { event } from '../../events/event.ts'

/** A feature was switched, or set back to its default. */
export const FeatureChanged = event('instance_feature.changed', {
  name: z.string(),
  state: z.string(),
  actor_id: z.number().nullable(),
})
