import { z } from 'zod'

import { event } from '../../../events/event.ts'

const payload = {
  user_id: z.number().optional(),
  group_id: z.number().optional(),
  project_id: z.number().optional(),
  key: z.string(),
  actor_id: z.number().nullable(),
}

/** A custom attribute was made or got another value; one of the owners is named. */
export const CustomAttributeSet = event('custom_attribute.set', payload)

/** A custom attribute is gone. */
export const CustomAttributeRemoved = event('custom_attribute.removed', payload)
