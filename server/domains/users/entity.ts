import { z } from 'zod'

import { date, entity, time, type Presentation, row } from '../../http/entity.ts'
import type { ActivityRow, UserRow, UserBasicRow } from './store.ts'
import type { AvatarView } from './service.ts'
import type { UserDetailRow, StatusRow } from './store-details.ts'
import {
  avatarUrl,
  basic,
  basicFields,
  fullFields,
  profile,
  profileFields,
  publicFields,
} from './entity-fields.ts'
import type { EmailRow } from './emails/store.ts'

/** A secondary email address (spec core 7.2). */
export const Email = entity(
  'Email',
  { id: z.int(), email: z.string(), confirmed_at: time().nullable() },
  ({ id, email, confirmed_at }: EmailRow) => ({ id, email, confirmed_at }),
)

/** The preferences of a user (spec core 7.2). Their id is that of the user. */
export const UserPreferences = entity(
  'UserPreferences',
  {
    id: z.int(),
    user_id: z.int(),
    view_diffs_file_by_file: z.boolean(),
    show_whitespace_in_diffs: z.boolean(),
    pass_user_identities_to_ci_jwt: z.boolean(),
  },
  row<UserRow>(),
  (user) => ({
    user_id: user.id,
  }),
)

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** The status of a user. Without a status every field is null (spec core 7.2). */
export const UserStatus = entity(
  'UserStatus',
  {
    emoji: z.string().nullable(),
    message: z.string().nullable(),
    availability: z.enum(['not_set', 'busy']).nullable(),
    message_html: z.string().nullable(),
    clear_status_at: time().nullable(),
  },
  (row: StatusRow | null) => ({
    emoji: row?.emoji ?? null,
    message: row?.message ?? null,
    availability: (row?.availability as 'not_set' | 'busy' | undefined) ?? null,
    // The message is plain text on one line.
    message_html: row?.message?.replace(/[&<>"']/g, (sign) => ESCAPES[sign]!) ?? null,
    clear_status_at: row?.clear_at ?? null,
  }),
)

export { avatarUrl } from './entity-fields.ts'

/** The user as nested in other resources and in lists (spec core 0.1). */
export const UserBasic = entity('UserBasic', basicFields, (user: UserBasicRow, at) => basic(user, at))

/** A single user for other users (spec core 7.1). A private profile omits the creation date and the followers. */
export const User = entity('User', profileFields, (user: UserDetailRow, at) =>
  profile(user, at, user.is_hidden),
)

/** The signed-in user. */
export const UserPublic = entity('UserPublic', publicFields, (user: UserDetailRow, at) =>
  fullFields(user, at),
)

const adminFields = {
  ...publicFields,
  is_admin: z.boolean(),
  note: z.string().nullable(),
  namespace_id: z.int().nullable(),
  created_by: UserBasic.schema.nullable(),
  is_auditor: z.boolean(),
  using_license_seat: z.boolean(),
  provisioned_by_group_id: z.int().nullable(),
  current_sign_in_ip: z.string().nullable(),
  last_sign_in_ip: z.string().nullable(),
}

function adminView(user: UserDetailRow, at: Presentation) {
  return {
    ...fullFields(user, at),
    is_admin: user.is_admin,
    note: user.note,
    namespace_id: user.namespace_id,
    created_by: user.created_by ? UserBasic.present(user.created_by, at) : null,
    is_auditor: user.is_auditor,
    using_license_seat: user.kind === 'human' && !user.bot,
    provisioned_by_group_id: user.provisioned_by_group_id,
    current_sign_in_ip: user.current_sign_in_ip,
    last_sign_in_ip: user.last_sign_in_ip,
  }
}

/** A user for administrators, in lists and after writes. */
export const UserWithAdmin = entity('UserWithAdmin', adminFields, (user: UserDetailRow, at) =>
  adminView(user, at),
)

/** A single user for administrators. */
export const UserDetailsWithAdmin = entity(
  'UserDetailsWithAdmin',
  {
    ...adminFields,
    sign_in_count: z.int(),
    highest_role: z.int(),
    plan: z.string(),
    trial: z.boolean(),
  },
  (user: UserDetailRow, at) => ({
    ...adminView(user, at),
    sign_in_count: user.sign_in_count,
    highest_role: user.highest_role,
    plan: 'ultimate',
    trial: false,
  }),
)

/** A user with the day of the last activity. Older clients read it from `last_activity_at`. */
export const UserActivity = entity(
  'UserActivity',
  { username: z.string(), last_activity_on: date(), last_activity_at: date() },
  ({ username, last_activity_on }: ActivityRow) => ({
    username,
    last_activity_on,
    last_activity_at: last_activity_on,
  }),
)

/** The avatar for an email address. */
export const Avatar = entity(
  'Avatar',
  { avatar_url: z.string().nullable() },
  ({ user, external_url }: AvatarView, at) => ({
    avatar_url: user?.avatar ? avatarUrl(user, at) : external_url,
  }),
)

/** The user's own profile for editing: the contract's fields, and fields that only the user may see. */
export const OwnProfile = entity(
  'OwnProfile',
  {
    ...publicFields,
    timezone: z.string().nullable(),
    view_diffs_file_by_file: z.boolean(),
    /** The new email address until it is confirmed. */
    unconfirmed_email: z.string().nullable(),
  },
  (user: UserDetailRow, at) => ({
    ...fullFields(user, at),
    timezone: user.timezone,
    view_diffs_file_by_file: user.view_diffs_file_by_file,
    unconfirmed_email: user.unconfirmed_email,
  }),
)
