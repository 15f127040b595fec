import { z } from 'zod'

import { entity } from '../../../../http/entity.ts'
import { level, levelView } from '../entity.ts'
import type { TagProtection } from './store.ts'

/** A protected tag or pattern (spec core 4.4). */
export const ProtectedTag = entity(
  'ProtectedTag',
  { name: z.string(), create_access_levels: z.array(level) },
  (row: TagProtection) => ({ name: row.name, create_access_levels: row.levels.map(levelView) }),
)
