import { z } from 'zod'

import { event } from '../../events/event.ts'

/** The owner: at most one of the two, neither for the instance. */
const owner = { project_id: z.number().optional(), group_id: z.number().optional() }

/** An event that webhooks or integrations listen to was stored in `hook_events`. */
export const HookEventRecorded = event('hook_event.recorded', {
  ...owner,
  event_id: z.number(),
  kind: z.string(),
  /** Short name of the branch or tag, if any. */
  ref: z.string().nullable(),
})

/** A webhook was created, updated or deleted, or deliveries disabled or enabled it. */
export const HookChanged = event('hook.changed', {
  ...owner,
  hook_id: z.number(),
  action: z.enum(['created', 'updated', 'deleted']),
  actor_id: z.number().nullable(),
})

/** An attempt to deliver an event to a webhook or an integration ended. */
export const DeliveryEnded = event('hook.delivery_ended', {
  ...owner,
  delivery_id: z.number(),
  hook_id: z.number().optional(),
  integration_id: z.number().optional(),
  is_ok: z.boolean(),
})
