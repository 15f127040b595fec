import { z } from 'zod'

import { event } from '../../../events/event.ts'

const milestone = {
  milestone_id: z.number(),
  iid: z.number(),
  /** Exactly one of the two says whose milestone it is. */
  project_id: z.number().optional(),
  group_id: z.number().optional(),
  actor_id: z.number().nullable(),
}

/** A milestone was made. */
export const MilestoneCreated = event('milestone.created', milestone)

/** Title, description or dates of a milestone changed. */
export const MilestoneUpdated = event('milestone.updated', { ...milestone, changed: z.array(z.string()) })

/** A milestone was closed. */
export const MilestoneClosed = event('milestone.closed', milestone)

/** A closed milestone is active again. */
export const MilestoneActivated = event('milestone.activated', milestone)

/** A milestone is gone; what was planned for it is planned for none. */
export const MilestoneDeleted = event('milestone.deleted', { ...milestone, title: z.string() })

/** Milestones of projects became one milestone of a group. */
export const MilestonePromoted = event('milestone.promoted', {
  ...milestone,
  group_id: z.number(),
  /** The milestones that are gone. */
  merged_ids: z.array(z.number()),
})
