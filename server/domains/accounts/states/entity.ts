import { z } from 'zod'

import { entity, entitySchemas, type Entity } from '../../../http/entity.ts'

const outcome = z.boolean().nullable()
entitySchemas.add(outcome, { id: 'StateOutcome' })

/** The result of a change of state: `true`, `false` where nothing changed, `null` for the same state as before. */
export const StateOutcome: Entity<boolean | null, boolean | null> = {
  name: 'StateOutcome',
  schema: outcome,
  present: (value) => value,
}

/** The answer to an approval or rejection. */
export const RequestAnswered = entity('RequestAnswered', { message: z.literal('Success') }, () => ({
  message: 'Success' as const,
}))
