import type { Ctx } from '../../../ctx.ts'
import type { Commit } from '../../../git/commits.ts'
import type { UserActor } from '../../../policy/actor.ts'
import { GUEST } from '../../../policy/levels.ts'
import { findGroup, group } from '../../groups/index.ts'
import { project as scope, type Project } from '../../projects/index.ts'
import { userByCommitEmail, type UserRow } from '../../users/index.ts'
import type { ChangelogConfig } from './config.ts'
import type { ChangelogEntry } from './notes.ts'

/** Says whose change a commit is, and whether they are thanked: who is no member, or of a group named for it. */
export function creditOf(
  ctx: Ctx,
  project: Project,
  config: ChangelogConfig,
): (commit: Commit) => Pick<ChangelogEntry, 'author'> {
  const groups = config.include_groups.flatMap((path) => findGroup(ctx, path) ?? [])
  const known = new Map<string, Pick<ChangelogEntry, 'author'>>()
  return ({ author_email: email }) => {
    const found = known.get(email)
    if (found) return found
    const user = userByCommitEmail(ctx, email)
    const author = user && authorOf(user)
    const credit = author ? { author } : {}
    known.set(email, credit)
    return credit
  }

  function authorOf(user: UserRow) {
    const theirs = { ...ctx, actor: actorOf(user) }
    const contributor = scope.roleOf(theirs, project) < GUEST
    const named = groups.some((one) => group.roleOf(theirs, one) >= GUEST)
    return { username: user.username, contributor, credit: contributor || named }
  }
}

/** A user as somebody whose levels can be asked for. */
function actorOf(user: UserRow): UserActor {
  const { id, username, name, email } = user
  return {
    kind: 'user',
    id,
    username,
    name,
    email,
    is_admin: false,
    external: false,
    scopes: null,
    via: 'system',
  }
}
