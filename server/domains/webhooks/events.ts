import { z } from 'zod'

import { event } from '../../events/event.ts'

/** At most one of the two says where it is; neither for the whole instance. */
const place = { project_id: z.number().optional(), group_id: z.number().optional() }

/** Something happened that webhooks or integrations may want to hear of; its payload is a row of `hook_events`. */
export const HookEventRecorded = event('hook_event.recorded', {
  ...place,
  event_id: z.number(),
  kind: z.string(),
  /** Short name of the branch or tag that it is about. */
  ref: z.string().nullable(),
})

/** A webhook was made, changed, tested, switched off by its failures, or removed. */
export const HookChanged = event('hook.changed', {
  ...place,
  hook_id: z.number(),
  action: z.enum(['created', 'updated', 'deleted']),
  actor_id: z.number().nullable(),
})

/** An attempt to tell a webhook or an integration ended. */
export const DeliveryEnded = event('hook.delivery_ended', {
  ...place,
  delivery_id: z.number(),
  hook_id: z.number().optional(),
  integration_id: z.number().optional(),
  is_ok: z.boolean(),
})
