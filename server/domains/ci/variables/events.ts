import { z } from 'zod'

import { event } from '../../../events/event.ts'

const variable = {
  /** At most one of the two: neither for a variable of the instance. */
  project_id: z.number().optional(),
  group_id: z.number().optional(),
  variable_id: z.number(),
  actor_id: z.number().nullable(),
}

/** A variable was created. */
export const VariableCreated = event('ci_variable.created', variable)

/** A variable was updated. */
export const VariableUpdated = event('ci_variable.updated', variable)

/** A variable was deleted. */
export const VariableRemoved = event('ci_variable.removed', variable)
