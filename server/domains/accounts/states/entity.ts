import { z } from 'zod'

import { entity, entitySchemas, type Entity } from '../../../http/entity.ts'

const outcome = z.boolean().nullable()
entitySchemas.add(outcome, { id: 'StateOutcome' })

/** What became of a change of state: `true`, `false` where nothing changed, `null` where it was so already. */
export const StateOutcome: Entity<boolean | null, boolean | null> = {
  name: 'StateOutcome',
  schema: outcome,
  present: (value) => value,
}

/** A request for an account was answered. */
export const RequestAnswered = entity('RequestAnswered', { message: z.literal('Success') }, () => ({
  message: 'Success' as const,
}))
