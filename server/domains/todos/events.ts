import { z } from 'zod'

import { event } from '../../events/event.ts'

/** The to-do items of a user changed. */
export const TodosChanged = event('todos.changed', { user_id: z.number() })
