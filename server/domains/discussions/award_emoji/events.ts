import { z } from 'zod'

import { event } from '../../../events/event.ts'

const award = {
  award_id: z.number(),
  /** Whose emoji it is. */
  user_id: z.number(),
  actor_id: z.number().nullable(),
  name: z.string(),
  /** `Issue`, `MergeRequest`, `Snippet`, or `Note` for an emoji under a note of one. */
  awardable_type: z.string(),
  awardable_id: z.number(),
  project_id: z.number().nullable(),
  /** The issue, merge request or snippet that it is under, or whose note it is under. */
  noteable_type: z.string(),
  noteable_id: z.number(),
  created_at: z.string(),
  updated_at: z.string(),
}

/** Somebody gave an emoji. */
export const AwardAdded = event('award.added', award)

/** An emoji was taken back. */
export const AwardRemoved = event('award.removed', award)
