import { z } from 'zod'

import { entity } from '../../../http/entity.ts'
import type { CustomAttributeRow } from './store.ts'

/** A key and value that administrators attach to a user, group or project (spec core 0.1). */
export const CustomAttribute = entity(
  'CustomAttribute',
  { key: z.string(), value: z.string() },
  ({ key, value }: CustomAttributeRow) => ({ key, value }),
)
