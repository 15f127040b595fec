import { z } from 'zod'

import { event } from '../../../events/event.ts'

const award = {
  award_id: z.number(),
  /** The user who gave the emoji. */
  user_id: z.number(),
  actor_id: z.number().nullable(),
  name: z.string(),
  /** `Issue`, `MergeRequest`, `Snippet` or `Note`. */
  awardable_type: z.string(),
  awardable_id: z.number(),
  project_id: z.number().nullable(),
  /** The issue, merge request or snippet; for a note, the one that the note belongs to. */
  noteable_type: z.string(),
  noteable_id: z.number(),
  created_at: z.string(),
  updated_at: z.string(),
}

/** A user gave an emoji. */
export const AwardAdded = event('award.added', award)

/** A user removed an emoji. */
export const AwardRemoved = event('award.removed', award)
