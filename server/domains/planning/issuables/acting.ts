import type { Ctx } from '../../../ctx.ts'
import { userById } from '../../users/index.ts'

/**
 * The context of a job in the name of the user whose doing it follows from; undefined when they are gone or may not act
 * any more. What they may see and change is decided as in a request of theirs.
 */
export function inNameOf(ctx: Ctx, userId: number | null): Ctx | undefined {
  const user = userId === null ? undefined : userById(ctx.db, userId)
  if (!user || user.state !== 'active') return undefined
  const { id, username, name, email } = user
  return {
    ...ctx,
    actor: {
      kind: 'user',
      id,
      username,
      name,
      email,
      is_admin: user.is_admin,
      external: user.external,
      auditor: user.is_auditor,
      scopes: null,
      via: 'system',
    },
  }
}
