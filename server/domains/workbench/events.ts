import { z } from 'zod'

import { event } from '../../events/event.ts'

/** An administrator moved the clock of the instance. */
export const ClockChanged = event('clock.changed', {
  clock_mode: z.enum(['real', 'frozen', 'moved']),
  now: z.string(),
  actor_id: z.number().nullable(),
})

/** The inspector recorded requests, or was switched or cleared. Administrators receive it, a few times a second at most. */
export const InspectorChanged = event('inspector.changed', {
  /** ID of the latest request. */
  last_request: z.number(),
})

/** The content of the instance was replaced by a snapshot, and windows reload. */
export const SnapshotRestored = event('snapshot.restored', { snapshot: z.string() })
