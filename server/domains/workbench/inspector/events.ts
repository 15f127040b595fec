import { z } from 'zod'

import { event } from '../../../events/event.ts'

/** The inspector recorded requests, or was switched or cleared. Administrators receive it, a few times a second at most. */
export const InspectorChanged = event('inspector.changed', {
  /** ID of the latest request. */
  last_request: z.number(),
})
