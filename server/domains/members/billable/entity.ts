import { z } from 'zod'

import { date, entity, time } from '../../../http/entity.ts'
import { UserBasic } from '../../users/entity.ts'
import type { BillableRow } from './store.ts'

const TYPES = ['group_member', 'project_member', 'group_invite', 'project_invite'] as const

/** Somebody who takes a seat in a group. Addresses that are not public are for administrators. */
export const BillableMember = entity(
  'BillableMember',
  {
    ...UserBasic.fields,
    email: z.string().nullable(),
    last_activity_on: date().nullable(),
    membership_type: z.enum(TYPES),
    removable: z.boolean(),
    created_at: time(),
    last_login_at: time().nullable(),
  },
  ({ row, email }: { row: BillableRow; email: boolean }, at) => ({
    ...UserBasic.present(row, at),
    email: email ? row.email : row.public_email || null,
    last_activity_on: row.last_activity_on,
    membership_type: TYPES[row.type] ?? 'group_member',
    // Who came with an invited group goes with it.
    removable: row.type < 2,
    created_at: row.created_at,
    last_login_at: row.last_login_at,
  }),
)
