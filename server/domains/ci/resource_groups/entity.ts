import { z } from 'zod'

import { entity, time, row } from '../../../http/entity.ts'
import type { ResourceGroupRow } from './store.ts'

/** The orders in which waiting jobs get the resource of their group (spec ci 2.11). */
export const PROCESS_MODES = ['unordered', 'oldest_first', 'newest_first'] as const
/** A process mode of a resource group. */
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
  row<ResourceGroupRow>(),
)
