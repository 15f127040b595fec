import { z } from 'zod'

import { entity } from '../../../http/entity.ts'
import type { CustomAttributeRow } from './store.ts'

/** A key and its value, as administrators keep them on users, groups and projects (spec core 0.1). */
export const CustomAttribute = entity(
  'CustomAttribute',
  { key: z.string(), value: z.string() },
  ({ key, value }: CustomAttributeRow) => ({ key, value }),
)
