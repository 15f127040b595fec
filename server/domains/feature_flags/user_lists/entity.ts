import { z } from 'zod'

import { entity, time } from '../../../http/entity.ts'
import type { UserListRow } from './store.ts'

/** A list of users that strategies of feature flags can take (spec ci 7.3). */
export const FeatureFlagUserList = entity(
  'FeatureFlagUserList',
  {
    id: z.int(),
    iid: z.int(),
    project_id: z.int(),
    created_at: time(),
    updated_at: time(),
    name: z.string(),
    user_xids: z.string(),
  },
  (row: UserListRow) => ({
    id: row.id,
    iid: row.iid,
    project_id: row.project_id,
    created_at: row.created_at,
    updated_at: row.updated_at,
    name: row.name,
    user_xids: row.user_xids,
  }),
)
