import { z } from 'zod'

import { event } from '../../events/event.ts'

const commonFields = { project_id: z.number(), actor_id: z.number().nullable() }

/** A feature flag was created, updated or deleted. */
export const FeatureFlagChanged = event('feature_flag.changed', {
  ...commonFields,
  feature_flag_id: z.number(),
  name: z.string(),
  action: z.enum(['created', 'updated', 'deleted']),
  /** Whether the update activated or deactivated the flag. */
  toggled: z.boolean(),
  active: z.boolean(),
})

/** A user list for feature flags was created, updated or deleted. */
export const UserListChanged = event('feature_flag.user_list_changed', {
  ...commonFields,
  user_list_id: z.number(),
  action: z.enum(['created', 'updated', 'deleted']),
})
