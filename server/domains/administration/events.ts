import { z } from 'zod'

import { event } from '../../events/event.ts'

/** Limits of the plan of the instance were changed. */
export const PlanLimitsChanged = event('plan_limits.changed', {
  plan_name: z.string(),
  changed: z.array(z.string()),
  actor_id: z.number().nullable(),
})

/** A feature was switched, or set back to its default. */
export const FeatureChanged = event('instance_feature.changed', {
  name: z.string(),
  state: z.string(),
  actor_id: z.number().nullable(),
})
