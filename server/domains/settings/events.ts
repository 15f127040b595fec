import { z } from 'zod'

import { event } from '../../events/event.ts'

/** An administrator changed application settings. */
export const SettingsChanged = event('settings.changed', {
  names: z.array(z.string()),
  actor_id: z.number().nullable(),
})
