import { createHash } from 'node:crypto'

import type { Ctx } from '../../../../ctx.ts'
import { GROUP_CLAIMS } from '../../../../lib/aliases.ts'
import { DEVELOPER, MAINTAINER, OWNER } from '../../../../policy/levels.ts'
import { avatarUrl } from '../../../users/entity.ts'
import type { UserRow } from '../../../users/index.ts'
import { groupsOf } from './store.ts'

/** Returns the claims about the email address for a client with these scopes. */
function emailOf(user: UserRow, scopes: ReadonlySet<string>): { email?: string; email_verified?: boolean } {
  const email = scopes.has('email') ? user.email : user.public_email
  if (!email) return {}
  return { email, email_verified: email === user.email && user.confirmed_at !== null }
}

/** Returns the claims that the ID token and userinfo share. */
export function sharedClaims(user: UserRow, scopes: ReadonlySet<string>) {
  return {
    // For clients that stored this value before the user id became the subject.
    sub_legacy: createHash('sha256').update(`${user.id}-sub`).digest('hex'),
    ...emailOf(user, scopes),
  }
}

/** Returns all claims of userinfo (spec core 8.12). */
export function userinfoOf(ctx: Ctx, user: UserRow, scopes: ReadonlySet<string>) {
  const groups = groupsOf(ctx.db, user.id, ctx.now)
  const pathsAt = (level: number): string[] =>
    groups.filter((group) => group.access_level === level).map((group) => group.full_path)
  const roles = { owner: pathsAt(OWNER), maintainer: pathsAt(MAINTAINER), developer: pathsAt(DEVELOPER) }
  const rolesWithGroups = Object.entries(roles).filter(([, paths]) => paths.length > 0)
  return {
    sub: String(user.id),
    ...sharedClaims(user, scopes),
    name: user.name,
    nickname: user.username,
    preferred_username: user.username,
    profile: `${ctx.config.url}/${user.username}`,
    picture: avatarUrl(user, { url: ctx.config.url, now: ctx.now }),
    ...(user.website_url ? { website: user.website_url } : {}),
    groups: groups.map((group) => group.full_path),
    ...Object.fromEntries(rolesWithGroups.map(([role, paths]) => [`${GROUP_CLAIMS}/${role}`, paths])),
  }
}
