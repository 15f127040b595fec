import { z } from 'zod'

import { event } from '../../events/event.ts'

/** An administrator changed how the instance looks. */
export const AppearanceChanged = event('appearance.changed', {
  /** Of the one row there is; the visibility of an event depends on its subject. */
  appearance_id: z.number(),
  changed: z.array(z.string()),
  actor_id: z.number().nullable(),
})
