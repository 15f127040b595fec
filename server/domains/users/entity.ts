import { z } from 'zod'

import { entity, type Presentation } from '../../http/entity.ts'
import type { UserDetailRow } from './details.ts'
import { basic, basicFields, full, profile, profileFields, publicFields } from './fields.ts'
import type { UserBasicRow } from './store.ts'

export { avatarUrl } from './fields.ts'

/** The user as nested in other resources and in lists (spec core 0.1). */
export const UserBasic = entity('UserBasic', basicFields, (user: UserBasicRow, at) => basic(user, at))

/** A single user as seen by others (spec core 7.1); a private profile leaves its dates and followers out. */
export const User = entity('User', profileFields, (user: UserDetailRow, at) =>
  profile(user, at, user.is_hidden),
)

/** The signed-in user as seen by themselves. */
export const UserPublic = entity('UserPublic', publicFields, (user: UserDetailRow, at) => full(user, at))

const adminFields = {
  ...publicFields,
  is_admin: z.boolean(),
  note: z.string().nullable(),
  namespace_id: z.int().nullable(),
  created_by: UserBasic.schema.nullable(),
  is_auditor: z.boolean(),
  using_license_seat: z.boolean(),
  provisioned_by_group_id: z.int().nullable(),
}

function administered(user: UserDetailRow, at: Presentation) {
  return {
    ...full(user, at),
    is_admin: user.is_admin === 1,
    note: user.note,
    namespace_id: user.namespace_id,
    created_by: user.created_by ? UserBasic.present(user.created_by, at) : null,
    is_auditor: user.is_auditor === 1,
    using_license_seat: user.kind === 'human' && user.bot === 0,
    provisioned_by_group_id: user.provisioned_by_group_id,
  }
}

/** The view of administrators in lists and after writes. */
export const UserWithAdmin = entity('UserWithAdmin', adminFields, (user: UserDetailRow, at) =>
  administered(user, at),
)

/** The view of administrators on one user. */
export const UserDetailsWithAdmin = entity(
  'UserDetailsWithAdmin',
  {
    ...adminFields,
    current_sign_in_ip: z.string().nullable(),
    last_sign_in_ip: z.string().nullable(),
    sign_in_count: z.int(),
    highest_role: z.int(),
    plan: z.string(),
    trial: z.boolean(),
  },
  (user: UserDetailRow, at) => ({
    ...administered(user, at),
    current_sign_in_ip: user.current_sign_in_ip,
    last_sign_in_ip: user.last_sign_in_ip,
    sign_in_count: user.sign_in_count,
    highest_role: user.highest_role,
    plan: 'ultimate',
    trial: false,
  }),
)
