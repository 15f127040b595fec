import { z } from 'zod'

import { event } from '../../../events/event.ts'

const milestone = {
  milestone_id: z.number(),
  iid: z.number(),
  /** The owner: exactly one of the two is set. */
  project_id: z.number().optional(),
  group_id: z.number().optional(),
  actor_id: z.number().nullable(),
}

/** A milestone was created. */
export const MilestoneCreated = event('milestone.created', milestone)

/** The title, description or dates of a milestone changed. */
export const MilestoneUpdated = event('milestone.updated', { ...milestone, changed: z.array(z.string()) })

/** A milestone was closed. */
export const MilestoneClosed = event('milestone.closed', milestone)

/** A closed milestone was activated. */
export const MilestoneActivated = event('milestone.activated', milestone)

/** A milestone was deleted. Its issues and merge requests have no milestone now. */
export const MilestoneDeleted = event('milestone.deleted', { ...milestone, title: z.string() })

/** Milestones of projects were merged into one milestone of a group. */
export const MilestonePromoted = event('milestone.promoted', {
  ...milestone,
  group_id: z.number(),
  /** The milestones that were merged and deleted. */
  merged_ids: z.array(z.number()),
})
