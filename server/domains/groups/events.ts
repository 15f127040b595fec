import { z } from 'zod'

import { event } from '../../events/event.ts'

const ids = { group_id: z.number(), actor_id: z.number().nullable() }

/** A group was created. */
export const GroupCreated = event('group.created', { ...ids, parent_id: z.number().nullable() })

/** Settings of a group changed; `changed` names the columns. */
export const GroupUpdated = event('group.updated', {
  ...ids,
  changed: z.array(z.string()),
  /** Full path before, when that changed. */
  old_path: z.string().optional(),
})

/** A group is gone, with everything below it; each of its projects tells of its own end. */
export const GroupDeleted = event('group.deleted', {
  ...ids,
  full_path: z.string(),
  parent_id: z.number().nullable(),
})
