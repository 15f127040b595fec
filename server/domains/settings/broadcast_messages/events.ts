import { z } from 'zod'

import { event } from '../../../events/event.ts'

/** A message to everybody was made, changed or removed. */
export const BroadcastMessageChanged = event('broadcast_message.changed', {
  broadcast_message_id: z.number(),
  action: z.enum(['created', 'updated', 'deleted']),
  actor_id: z.number().nullable(),
})
