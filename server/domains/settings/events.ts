import { z } from 'zod'

import { event } from '../../events/event.ts'

/** An administrator changed application settings. */
export const SettingsChanged = event('settings.changed', {
  names: z.array(z.string()),
  /** What the settings were and are that became others; without those that are only written. */
  changes: z.record(z.string(), z.tuple([z.unknown(), z.unknown()])).optional(),
  /** Names of those that are sealed: the values are not published. */
  secrets: z.array(z.string()).optional(),
  actor_id: z.number().nullable(),
})

/** Limits of the plan of the instance were changed. */
export const PlanLimitsChanged = event('plan_limits.changed', {
  plan_name: z.string(),
  changed: z.array(z.string()),
  actor_id: z.number().nullable(),
})

/** Whether the change has texts that are kept as HTML rendered anew. */
export function rendersAnew({ names }: { readonly names: readonly string[] }): boolean {
  return names.includes('local_markdown_version')
}

/** A message to everybody was made, changed or removed. */
export const BroadcastMessageChanged = event('broadcast_message.changed', {
  broadcast_message_id: z.number(),
  action: z.enum(['created', 'updated', 'deleted']),
  actor_id: z.number().nullable(),
})
