import { z } from 'zod'

import { event } from '../../events/event.ts'

/** An administrator changed application settings. */
export const SettingsChanged = event('settings.changed', {
  names: z.array(z.string()),
  /** Values of the changed settings before and after, without secret settings. */
  changes: z.record(z.string(), z.tuple([z.unknown(), z.unknown()])).optional(),
  /** Names of changed secret settings: their values are not published. */
  secrets: z.array(z.string()).optional(),
  actor_id: z.number().nullable(),
})

/** An administrator changed plan limits. */
export const PlanLimitsChanged = event('plan_limits.changed', {
  plan_name: z.string(),
  changed: z.array(z.string()),
  actor_id: z.number().nullable(),
})

/** Returns whether texts that are stored as HTML must be rendered again. */
export function requiresRerender({ names }: { readonly names: readonly string[] }): boolean {
  return names.includes('local_markdown_version')
}

/** A broadcast message was created, changed or deleted. */
export const BroadcastMessageChanged = event('broadcast_message.changed', {
  broadcast_message_id: z.number(),
  action: z.enum(['created', 'updated', 'deleted']),
  actor_id: z.number().nullable(),
})
