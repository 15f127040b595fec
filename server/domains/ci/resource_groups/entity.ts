import { z } from 'zod'

import { entity, time } from '../../../http/entity.ts'
import type { ResourceGroupRow } from './store.ts'

/** Orders in which jobs get the resource of their group (spec ci 2.11). */
export const PROCESS_MODES = ['unordered', 'oldest_first', 'newest_first'] as const
/** One of them. */
export type ProcessMode = (typeof PROCESS_MODES)[number]

/** A resource group (spec ci 2.11). */
export const ResourceGroup = entity(
  'ResourceGroup',
  {
    id: z.int(),
    key: z.string(),
    process_mode: z.enum(PROCESS_MODES),
    created_at: time(),
    updated_at: time(),
  },
  (row: ResourceGroupRow) => ({
    id: row.id,
    key: row.key,
    process_mode: row.process_mode as ProcessMode,
    created_at: row.created_at,
    updated_at: row.updated_at,
  }),
)
