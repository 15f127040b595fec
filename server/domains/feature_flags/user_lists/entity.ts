import { z } from 'zod'

import { entity, time, row } from '../../../http/entity.ts'
import type { UserListRow } from './store.ts'

/** A list of users for the strategies of feature flags (spec ci 7.3). */
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
  row<UserListRow>(),
)
