import { z } from 'zod'

import { entity, time, row } from '../../../http/entity.ts'
import { UserBasic } from '../../users/entity.ts'
import { isActive } from '../protocol/active.ts'
import type { ScimUserRow } from '../store.ts'

export const ScimIdentity = entity(
  'ScimIdentity',
  { extern_uid: z.string(), user_id: z.int(), active: z.boolean() },
  row<Pick<ScimUserRow, 'extern_uid' | 'user_id' | 'active'>>(),
)

export const ScimListedIdentity = entity(
  'ScimListedIdentity',
  {
    extern_uid: z.string(),
    active: z.boolean(),
    created_at: time(),
    updated_at: time(),
    user: UserBasic.schema,
  },
  ({ extern_uid, user_id, username, name, state, avatar, ...row }: ScimUserRow, at) => ({
    extern_uid,
    active: isActive({ ...row, state }),
    created_at: row.created_at,
    updated_at: row.updated_at,
    user: UserBasic.present({ id: user_id, username, name, state, avatar }, at),
  }),
)
