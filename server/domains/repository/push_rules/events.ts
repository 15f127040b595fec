import { z } from 'zod'

import { event } from '../../../events/event.ts'

/** The push rule of a project, of a group or (without IDs) of the instance was created, updated or deleted. */
export const PushRuleChanged = event('push_rule.changed', {
  project_id: z.number().optional(),
  group_id: z.number().optional(),
  action: z.enum(['created', 'updated', 'deleted']),
  /** Names of the changed columns. */
  changed: z.array(z.string()),
  actor_id: z.number().nullable(),
})
