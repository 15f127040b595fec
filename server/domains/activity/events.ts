import { z } from 'zod'

import { event } from '../../events/event.ts'

/** The feed has a new line. */
export const ActivityRecorded = event('activity.recorded', {
  /** What it happened in, if anything. */
  project_id: z.number().optional(),
  group_id: z.number().optional(),
})
