import { z } from 'zod'

import { entity, time } from '../../../http/entity.ts'
import type { EmailRow } from './store.ts'

/** A secondary address (spec core 7.2). */
export const Email = entity(
  'Email',
  { id: z.int(), email: z.string(), confirmed_at: time().nullable() },
  ({ id, email, confirmed_at }: EmailRow) => ({ id, email, confirmed_at }),
)
