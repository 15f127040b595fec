import { z } from 'zod'

import { event } from '../../../events/event.ts'

const label = {
  label_id: z.number(),
  /** The owner: exactly one of the two is set. */
  project_id: z.number().optional(),
  group_id: z.number().optional(),
  actor_id: z.number().nullable(),
}

/** A label was created. */
export const LabelCreated = event('label.created', label)

/** The title, color, description or priority of a label changed. */
export const LabelUpdated = event('label.updated', { ...label, changed: z.array(z.string()) })

/** A label was deleted and removed from all issues, merge requests and boards. */
export const LabelDeleted = event('label.deleted', { ...label, title: z.string() })

/** Labels of projects were merged into one label of a group. */
export const LabelPromoted = event('label.promoted', {
  ...label,
  group_id: z.number(),
  /** The labels that were merged and deleted. */
  merged_ids: z.array(z.number()),
})
