import { z } from 'zod'

import { entity, time, row } from '../../../http/entity.ts'
import { UserBasic } from '../../users/entity.ts'
import type { UserBasicRow } from '../../users/index.ts'
import type { TriggerRow } from './store.ts'

/** A trigger with the part of its token that the actor may see. */
export interface TriggerView {
  readonly row: TriggerRow
  readonly token: string
  readonly owner: UserBasicRow | null
}

/** A trigger. Its token starts pipelines (spec ci 2.8). */
export const Trigger = entity(
  'Trigger',
  {
    id: z.int(),
    token: z.string(),
    description: z.string(),
    created_at: time(),
    updated_at: time(),
    last_used: time().nullable(),
    owner: UserBasic.schema.nullable(),
  },
  row((view: TriggerView) => view.row),
  ({ row, token, owner }, at) => ({
    token,
    last_used: row.last_used_at,
    owner: owner && UserBasic.present(owner, at),
  }),
)
