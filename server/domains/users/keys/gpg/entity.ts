import { z } from 'zod'

import { entity, time } from '../../../../http/entity.ts'
import type { GpgKeyRow } from './store.ts'

/** A GPG key of a user (spec core 7.2). */
export const GpgKey = entity(
  'GpgKey',
  { id: z.int(), key: z.string(), created_at: time() },
  ({ id, key, created_at }: GpgKeyRow) => ({ id, key, created_at }),
)
