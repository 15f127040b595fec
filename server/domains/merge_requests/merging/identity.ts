import type { Ctx } from '../../../ctx.ts'
import type { Identity } from '../../../git/identity.ts'
import { userById } from '../../users/index.ts'

/** A user as git names them in commits, also one who may not sign in any more. */
export function identityOf(ctx: Ctx, userId: number): Identity {
  const user = userById(ctx.db, userId)
  const date = new Date(ctx.now)
  if (!user) return { name: 'Deskforge', email: 'deskforge@localhost', date }
  return { name: user.name, email: user.commit_email || user.email, date }
}
