import type { Ctx } from '../../ctx.ts'
import type { Identity } from '../../git/write/identity.ts'
import { userById } from '../users/index.ts'

/** The actor as git names them in commits and tags made for them. */
export function committerOf(ctx: Ctx): Identity {
  const date = new Date(ctx.now)
  const user = ctx.actor.kind === 'user' ? userById(ctx.db, ctx.actor.id) : undefined
  if (!user) return { name: 'Deskforge', email: 'deskforge@localhost', date }
  return { name: user.name, email: user.commit_email || user.email, date }
}

/** The author: the actor, unless the request names somebody else. */
export function authorOf(
  ctx: Ctx,
  given: { author_name?: string | undefined; author_email?: string | undefined },
): Identity {
  const own = committerOf(ctx)
  return { ...own, name: given.author_name || own.name, email: given.author_email || own.email }
}
