import { z } from 'zod'

import { entity, type Entity } from '../../../http/entity.ts'

/** What became of a change of state: `true`, `false` where nothing changed, `null` where it was so already. */
export const Outcome: Entity<boolean | null, boolean | null> = {
  name: 'Outcome',
  schema: z.boolean().nullable(),
  present: (outcome) => outcome,
}

/** A request for membership of the instance was answered. */
export const Success = entity('Success', { message: z.literal('Success') }, () => ({
  message: 'Success' as const,
}))
