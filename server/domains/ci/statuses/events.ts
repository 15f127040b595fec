import { z } from 'zod'

import { event } from '../../../events/event.ts'

/** Another system reported about a commit: for the first time, anew, or that its work goes on or is over. */
export const CommitStatusChanged = event('commit_status.changed', {
  project_id: z.number(),
  actor_id: z.number().nullable(),
  status_id: z.number(),
  sha: z.string(),
  ref: z.string().nullable(),
  name: z.string(),
  status: z.string(),
})
