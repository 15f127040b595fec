import { z } from 'zod'

import { date, entity, time, type Presentation } from '../../http/entity.ts'
import type { UserBasicRow, UserDetailRow } from './store.ts'

/** Address of a user's picture, or null. */
export function avatarUrl(user: Pick<UserBasicRow, 'id' | 'avatar'>, at: Presentation): string | null {
  return user.avatar
    ? `${at.url}/uploads/-/system/user/avatar/${user.id}/${encodeURIComponent(user.avatar)}`
    : null
}

const basicFields = {
  id: z.int(),
  username: z.string(),
  name: z.string(),
  state: z.string(),
  avatar_url: z.string().nullable(),
  web_url: z.string(),
}

function basic(user: UserBasicRow, at: Presentation) {
  return {
    id: user.id,
    username: user.username,
    name: user.name,
    state: user.state,
    avatar_url: avatarUrl(user, at),
    web_url: `${at.url}/${user.username}`,
  }
}

/** The user as nested in other resources and in lists (spec core 0.1). */
export const UserBasic = entity('UserBasic', basicFields, (user: UserBasicRow, at) => basic(user, at))

const profileFields = {
  ...basicFields,
  created_at: time().optional(),
  bio: z.string(),
  location: z.string(),
  public_email: z.string(),
  skype: z.string(),
  linkedin: z.string(),
  twitter: z.string(),
  website_url: z.string(),
  organization: z.string(),
  job_title: z.string(),
  pronouns: z.string().nullable(),
  bot: z.boolean(),
  work_information: z.string().nullable(),
  followers: z.int().optional(),
  following: z.int().optional(),
  local_time: z.string().nullable(),
  is_followed: z.boolean().optional(),
}

function workInformation(user: UserDetailRow): string | null {
  if (user.job_title && user.organization) return `${user.job_title} at ${user.organization}`
  return user.job_title || user.organization || null
}

function profile(user: UserDetailRow, at: Presentation, hideDates: boolean) {
  const open = hideDates
    ? {}
    : { created_at: user.created_at, followers: 0, following: 0, is_followed: false }
  return {
    ...basic(user, at),
    ...open,
    bio: user.bio,
    location: user.location,
    public_email: user.public_email,
    skype: user.skype,
    linkedin: user.linkedin,
    twitter: user.twitter,
    website_url: user.website_url,
    organization: user.organization,
    job_title: user.job_title,
    pronouns: user.pronouns,
    bot: user.bot === 1,
    work_information: workInformation(user),
    local_time: null,
  }
}

/** A single user as seen by others (spec core 7.1); a private profile leaves its dates out. */
export const User = entity('User', profileFields, (user: UserDetailRow, at) =>
  profile(user, at, user.private_profile === 1),
)

const publicFields = {
  ...profileFields,
  last_sign_in_at: time().nullable(),
  confirmed_at: time().nullable(),
  last_activity_on: date().nullable(),
  email: z.string(),
  theme_id: z.int(),
  color_scheme_id: z.int(),
  projects_limit: z.int(),
  current_sign_in_at: time().nullable(),
  identities: z.array(z.strictObject({ provider: z.string(), extern_uid: z.string() })),
  can_create_group: z.boolean(),
  can_create_project: z.boolean(),
  two_factor_enabled: z.boolean(),
  external: z.boolean(),
  private_profile: z.boolean(),
  commit_email: z.string(),
  shared_runners_minutes_limit: z.int().nullable(),
  extra_shared_runners_minutes_limit: z.int().nullable(),
}

function full(user: UserDetailRow, at: Presentation) {
  return {
    ...profile(user, at, false),
    last_sign_in_at: user.last_sign_in_at,
    confirmed_at: user.confirmed_at,
    last_activity_on: user.last_activity_on,
    email: user.email,
    theme_id: user.theme_id,
    color_scheme_id: user.color_scheme_id,
    projects_limit: user.projects_limit,
    current_sign_in_at: user.current_sign_in_at,
    identities: [],
    can_create_group: user.can_create_group === 1,
    can_create_project: user.projects_limit > 0,
    two_factor_enabled: false,
    external: user.external === 1,
    private_profile: user.private_profile === 1,
    commit_email: user.commit_email ?? user.email,
    shared_runners_minutes_limit: null,
    extra_shared_runners_minutes_limit: null,
  }
}

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
}

function administered(user: UserDetailRow, at: Presentation) {
  return {
    ...full(user, at),
    is_admin: user.is_admin === 1,
    note: user.note,
    namespace_id: user.namespace_id,
    created_by: user.created_by ? UserBasic.present(user.created_by, at) : null,
    is_auditor: user.is_auditor === 1,
    using_license_seat: user.bot === 0,
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
