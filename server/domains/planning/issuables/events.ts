import { z } from 'zod'

import { event } from '../../../events/event.ts'
import { columnChangesShape } from '../../../lib/column-changes.ts'

/** The fields of every event about an issue or a merge request. */
const issuable = {
  kind: z.enum(['Issue', 'MergeRequest']),
  id: z.number(),
  iid: z.number(),
  project_id: z.number(),
  actor_id: z.number().nullable(),
}

const changes = columnChangesShape.optional()

/** The assignees changed. A new issue or merge request adds all of its assignees. */
export const AssigneesChanged = event('issuable.assignees_changed', {
  ...issuable,
  added: z.array(z.number()),
  removed: z.array(z.number()),
  changes,
})

/** Labels were added or removed. */
export const LabelsChanged = event('issuable.labels_changed', {
  ...issuable,
  added: z.array(z.number()),
  removed: z.array(z.number()),
  changes,
})

/** The milestone changed. Null means no milestone. */
export const MilestoneChanged = event('issuable.milestone_changed', {
  ...issuable,
  from: z.number().nullable(),
  to: z.number().nullable(),
  changes,
})

/** The time estimate or the spent time changed, in seconds. */
export const TimeChanged = event('issuable.time_changed', {
  ...issuable,
  time_estimate: z.number(),
  total_time_spent: z.number(),
  changes,
})

/** A user added a to-do item with `/todo`, or finished it with `/done`. */
export const TodoMarked = event('issuable.todo_marked', {
  ...issuable,
  user_id: z.number(),
  done: z.boolean(),
})
