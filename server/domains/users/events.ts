import { z } from 'zod'

import { event } from '../../events/event.ts'

/** A user exists, however it came to be. */
export const UserCreated = event('user.created', { user_id: z.number(), actor_id: z.number().nullable() })

/** Something about a user changed. */
export const UserUpdated = event('user.updated', {
  user_id: z.number(),
  changed: z.array(z.string()),
  actor_id: z.number().nullable(),
})
