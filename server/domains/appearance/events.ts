import { z } from 'zod'

import { event } from '../../events/event.ts'

/** An administrator changed how the instance looks. */
export const AppearanceChanged = event('appearance.changed', {
  /** Of the one row there is; who may hear of an event is told by what it is about. */
  appearance_id: z.number(),
  changed: z.array(z.string()),
  actor_id: z.number().nullable(),
})
