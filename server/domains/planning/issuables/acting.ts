import type { Ctx } from '../../../ctx.ts'
import { userById } from '../../users/index.ts'

/**
 * Returns the context of a job that acts as a user, with the permissions of that user. Undefined if the user is deleted
 * or not active.
 */
export function onBehalfOf(ctx: Ctx, userId: number | null): Ctx | undefined {
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
