import { z } from 'zod'

import { event } from '../../events/event.ts'

/** An integration was set up, updated or deactivated. */
export const IntegrationChanged = event('integration.changed', {
  project_id: z.number(),
  integration_id: z.number(),
  slug: z.string(),
  active: z.boolean(),
  actor_id: z.number().nullable(),
})
