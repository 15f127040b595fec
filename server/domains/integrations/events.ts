import { z } from 'zod'

import { event } from '../../events/event.ts'

/** An integration of a project was set up, changed or switched off. */
export const IntegrationChanged = event('integration.changed', {
  project_id: z.number(),
  integration_id: z.number(),
  slug: z.string(),
  active: z.boolean(),
  actor_id: z.number().nullable(),
})
