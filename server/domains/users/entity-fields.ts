import { z } from 'zod'

import { date, time, type Presentation } from '../../http/entity.ts'
import { CustomAttribute } from './custom_attributes/entity.ts'
import type { UserDetailRow } from './store-details.ts'
import type { UserBasicRow } from './store.ts'

const HUES = [215, 155, 35, 290, 250, 95, 190, 320, 20, 255, 75, 130]

/** Returns the hue of the generated avatar for a name. The window computes the same one. */
function hueOf(name: string): number {
  let sum = 7
  for (const character of name) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 9973
  return HUES[sum % HUES.length]!
}

/**
 * Returns the path of the generated avatar of a user: a letter on a color. The path contains all data of the image,
 * so that the image needs no database and can be cached forever.
 */
function generatedAvatarPath(name: string): string {
  const letter = (/[\p{L}\p{N}]/u.exec(name)?.[0] ?? '?').toUpperCase().slice(0, 2)
  return `/-/avatars/${hueOf(name)}/${encodeURIComponent(letter)}.svg`
}

/** Matches paths of generated avatars: the hue, and the encoded letter. */
export const GENERATED_AVATAR = /^\/-\/avatars\/(\d{1,3})\/((?:[A-Za-z0-9]|%[0-9A-F]{2}){1,24})\.svg$/i

/** Returns a generated avatar as SVG; undefined for an invalid hue or letter. */
export function generatedAvatar(hue: string, letter: string): string | undefined {
  const text = decodeText(letter)
  if (Number(hue) >= 360 || !/^(?:[\p{L}\p{N}]{1,2}|\?)$/u.test(text)) return undefined
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 80 80" width="80" height="80">
<rect width="80" height="80" fill="hsl(${Number(hue)} 45% 86%)"/>
<text x="40" y="40" dy=".36em" text-anchor="middle" font-family="sans-serif" font-weight="600" font-size="38" \
fill="hsl(${Number(hue)} 45% 28%)">${text}</text>
</svg>
`
}

function decodeText(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}

/** Returns the URL of a user's avatar: the uploaded or the generated one. */
export function avatarUrl(user: Pick<UserBasicRow, 'id' | 'name' | 'avatar'>, at: Presentation): string {
  return user.avatar
    ? `${at.url}/uploads/-/system/user/avatar/${user.id}/${encodeURIComponent(user.avatar)}`
    : at.url + generatedAvatarPath(user.name)
}

export const basicFields = {
  id: z.int(),
  username: z.string(),
  name: z.string(),
  state: z.string(),
  avatar_url: z.string(),
  web_url: z.string(),
  custom_attributes: z.array(CustomAttribute.schema).optional(),
}

export function basic(user: UserBasicRow, at: Presentation) {
  return {
    id: user.id,
    username: user.username,
    name: user.name,
    state: user.state,
    avatar_url: avatarUrl(user, at),
    web_url: `${at.url}/${user.username}`,
    custom_attributes: user.custom_attributes && [...user.custom_attributes],
  }
}

export const profileFields = {
  ...basicFields,
  created_at: time().optional(),
  bio: z.string(),
  location: z.string(),
  public_email: z.string(),
  skype: z.string(),
  linkedin: z.string(),
  twitter: z.string(),
  discord: z.string(),
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

/** Returns the local time of a user, such as `3:38 PM`; null without a time zone. */
export function localTime(timezone: string | null, now: string): string | null {
  if (!timezone) return null
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: timezone,
    hour: 'numeric',
    minute: '2-digit',
  })
  // Some versions of ICU print a narrow no-break space before AM and PM.
  return format.format(new Date(now)).replace(/\s/g, ' ')
}

/** Returns the fields that other users see. `isHidden` omits those that a private profile hides (spec core 7.1). */
export function profile(user: UserDetailRow, at: Presentation, isHidden: boolean) {
  return {
    ...basic(user, at),
    created_at: isHidden ? undefined : user.created_at,
    bio: user.bio,
    location: user.location,
    public_email: user.public_email,
    skype: user.skype,
    linkedin: user.linkedin,
    twitter: user.twitter,
    discord: user.discord,
    website_url: user.website_url,
    organization: user.organization,
    job_title: user.job_title,
    pronouns: user.pronouns,
    bot: user.bot,
    work_information: workInformation(user),
    followers: isHidden ? undefined : user.followers,
    following: isHidden ? undefined : user.following,
    local_time: localTime(user.timezone, at.now),
    is_followed: isHidden ? undefined : user.is_followed,
  }
}

export const publicFields = {
  ...profileFields,
  last_sign_in_at: time().nullable(),
  confirmed_at: time().nullable(),
  last_activity_on: date().nullable(),
  email: z.string(),
  theme_id: z.int(),
  color_scheme_id: z.int(),
  projects_limit: z.int(),
  current_sign_in_at: time().nullable(),
  identities: z.array(
    z.strictObject({
      provider: z.string(),
      extern_uid: z.string(),
      saml_provider_id: z.int().optional(),
    }),
  ),
  can_create_group: z.boolean(),
  can_create_project: z.boolean(),
  two_factor_enabled: z.boolean(),
  external: z.boolean(),
  private_profile: z.boolean(),
  commit_email: z.string(),
  shared_runners_minutes_limit: z.int().nullable(),
  extra_shared_runners_minutes_limit: z.int().nullable(),
}

/** Returns the fields of the signed-in user. */
export function fullFields(user: UserDetailRow, at: Presentation) {
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
    identities: user.identities.map(({ provider, extern_uid, saml_provider_id }) => ({
      provider,
      extern_uid,
      saml_provider_id: saml_provider_id ?? undefined,
    })),
    can_create_group: user.can_create_group,
    can_create_project: user.projects_limit > 0,
    // Deskforge has no two-factor authentication.
    two_factor_enabled: false,
    external: user.external,
    private_profile: user.private_profile,
    commit_email: user.commit_email ?? user.email,
    shared_runners_minutes_limit: user.shared_runners_minutes_limit,
    extra_shared_runners_minutes_limit: user.extra_shared_runners_minutes_limit,
  }
}
