import { z } from 'zod'

import { event } from '../../../events/event.ts'

const label = {
  label_id: z.number(),
  /** Exactly one of the two says whose label it is. */
  project_id: z.number().optional(),
  group_id: z.number().optional(),
  actor_id: z.number().nullable(),
}

/** A label was made. */
export const LabelCreated = event('label.created', label)

/** Title, color, description or rank of a label changed. */
export const LabelUpdated = event('label.updated', { ...label, changed: z.array(z.string()) })

/** A label is gone, from everything that had it too. */
export const LabelDeleted = event('label.deleted', { ...label, title: z.string() })

/** Labels of projects became one label of a group; what had them has that one now. */
export const LabelPromoted = event('label.promoted', {
  ...label,
  group_id: z.number(),
  /** The labels that are gone. */
  merged_ids: z.array(z.number()),
})
