import { z } from 'zod'

import { event } from '../../events/event.ts'

const membership = {
  /** Exactly one of the two: what the user is a member of. */
  project_id: z.number().optional(),
  group_id: z.number().optional(),
  user_id: z.number(),
  access_level: z.number(),
  actor_id: z.number().nullable(),
}

/** Somebody became a direct member of a project or group. */
export const MemberAdded = event('member.added', membership)

/** The level or the end of a direct membership changed. */
export const MemberUpdated = event('member.updated', { ...membership, expires_at: z.string().nullable() })

/** A direct membership ended, by hand or because its day came. */
export const MemberRemoved = event('member.removed', membership)
