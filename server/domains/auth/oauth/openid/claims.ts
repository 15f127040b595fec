import { createHash } from 'node:crypto'

import type { Ctx } from '../../../../ctx.ts'
import { GROUP_CLAIMS } from '../../../../lib/aliases.ts'
import { DEVELOPER, MAINTAINER, OWNER } from '../../../../policy/levels.ts'
import { avatarUrl } from '../../../users/entity.ts'
import type { UserRow } from '../../../users/index.ts'
import { groupsOf } from './store.ts'

/** The address that a client with these scopes may know, and whether it is known to be the user's. */
function emailOf(user: UserRow, scopes: ReadonlySet<string>): { email?: string; email_verified?: boolean } {
  const email = scopes.has('email') ? user.email : user.public_email
  if (!email) return {}
  return { email, email_verified: email === user.email && user.confirmed_at !== null }
}

/** What both the id token and userinfo say of a user. */
export function sharedClaims(user: UserRow, scopes: ReadonlySet<string>) {
  return {
    // What older clients stored before the id itself was the subject.
    sub_legacy: createHash('sha256').update(`${user.id}-sub`).digest('hex'),
    ...emailOf(user, scopes),
  }
}

/** Everything that userinfo says (spec core 8.12). */
export function userinfoOf(ctx: Ctx, user: UserRow, scopes: ReadonlySet<string>) {
  const groups = groupsOf(ctx.db, user.id, ctx.now)
  const at = (level: number): string[] =>
    groups.filter((one) => one.access_level === level).map((one) => one.full_path)
  const roles = { owner: at(OWNER), maintainer: at(MAINTAINER), developer: at(DEVELOPER) }
  const named = Object.entries(roles).filter(([, paths]) => paths.length > 0)
  return {
    sub: String(user.id),
    ...sharedClaims(user, scopes),
    name: user.name,
    nickname: user.username,
    preferred_username: user.username,
    profile: `${ctx.config.url}/${user.username}`,
    picture: avatarUrl(user, { url: ctx.config.url, now: ctx.now }),
    ...(user.website_url ? { website: user.website_url } : {}),
    groups: groups.map((one) => one.full_path),
    ...Object.fromEntries(named.map(([role, paths]) => [`${GROUP_CLAIMS}/${role}`, paths])),
  }
}
