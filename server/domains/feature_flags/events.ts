import { z } from 'zod'

import { event } from '../../events/event.ts'

const owned = { project_id: z.number(), actor_id: z.number().nullable() }

/** A feature flag was created, changed or deleted. */
export const FeatureFlagChanged = event('feature_flag.changed', {
  ...owned,
  feature_flag_id: z.number(),
  name: z.string(),
  action: z.enum(['created', 'updated', 'deleted']),
  /** The flag was activated or deactivated. */
  toggled: z.boolean(),
  active: z.boolean(),
})

/** A list of users for feature flags was created, changed or deleted. */
export const UserListChanged = event('feature_flag.user_list_changed', {
  ...owned,
  user_list_id: z.number(),
  action: z.enum(['created', 'updated', 'deleted']),
})
