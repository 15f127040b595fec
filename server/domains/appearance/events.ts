import { z } from 'zod'

import { event } from '../../events/event.ts'

/** An administrator changed the appearance of the instance. */
export const AppearanceChanged = event('appearance.changed', {
  /** The id of the only row. An event needs a subject, on which its visibility depends. */
  appearance_id: z.number(),
  changed: z.array(z.string()),
  actor_id: z.number().nullable(),
})
