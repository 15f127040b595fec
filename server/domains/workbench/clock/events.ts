import { z } from 'zod'

import { event } from '../../../events/event.ts'

/** An administrator moved the clock of the instance. */
export const ClockChanged = event('clock.changed', {
  clock_mode: z.enum(['real', 'frozen', 'moved']),
  now: z.string(),
  actor_id: z.number().nullable(),
})
