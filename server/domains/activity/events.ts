import { z } from 'zod'

import { event } from '../../events/event.ts'

/** An event was added to the feed. */
export const ActivityRecorded = event('activity.recorded', {
  /** The project of the event, if it has one. */
  project_id: z.number().optional(),
  group_id: z.number().optional(),
})
