import { z } from 'zod'

import { event } from '../../events/event.ts'

/** An administrator changed how the instance looks. */
export const AppearanceChanged = event('appearance.changed', {
  changed: z.array(z.string()),
  actor_id: z.number().nullable(),
})
