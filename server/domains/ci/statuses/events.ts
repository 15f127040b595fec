import { z } from 'zod'

import { event } from '../../../events/event.ts'

/** Another system created or updated the status of a commit. */
export const CommitStatusChanged = event('commit_status.changed', {
  project_id: z.number(),
  actor_id: z.number().nullable(),
  status_id: z.number(),
  sha: z.string(),
  ref: z.string().nullable(),
  name: z.string(),
  status: z.string(),
})
