import { z } from 'zod'

import { event } from '../../../events/event.ts'
import { columnChangesShape } from '../../../lib/column-changes.ts'

/** What an event about an issue or a merge request always says. */
const issuable = {
  kind: z.enum(['Issue', 'MergeRequest']),
  id: z.number(),
  iid: z.number(),
  project_id: z.number(),
  actor_id: z.number().nullable(),
}

const changes = columnChangesShape.optional()

/** Who an issue or merge request is assigned to changed; on creation, everybody is added. */
export const AssigneesChanged = event('issuable.assignees_changed', {
  ...issuable,
  added: z.array(z.number()),
  removed: z.array(z.number()),
  changes,
})

/** Labels were given or taken. */
export const LabelsChanged = event('issuable.labels_changed', {
  ...issuable,
  added: z.array(z.number()),
  removed: z.array(z.number()),
  changes,
})

/** The milestone changed; null is none. */
export const MilestoneChanged = event('issuable.milestone_changed', {
  ...issuable,
  from: z.number().nullable(),
  to: z.number().nullable(),
  changes,
})

/** Time was estimated or spent; seconds. */
export const TimeChanged = event('issuable.time_changed', {
  ...issuable,
  time_estimate: z.number(),
  total_time_spent: z.number(),
  changes,
})

/** Somebody asked by a command to be reminded of it, or said that they are done with it. */
export const TodoMarked = event('issuable.todo_marked', {
  ...issuable,
  user_id: z.number(),
  done: z.boolean(),
})
