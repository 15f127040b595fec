import type { Ctx } from '../../../../ctx.ts'
import { userById, type UserRow } from '../../../users/index.ts'
import type { HookEvent } from '../../recording/hook-event.ts'
import { shownEmail } from '../blocks/index.ts'
import { systemEvent } from './event.ts'

type Said = Pick<UserRow, 'id' | 'name' | 'username' | 'public_email' | 'created_at' | 'updated_at'>

/** The event of a user who is there (spec administration 3.10); null where they are gone. */
export function userLifeEvent(
  ctx: Ctx,
  id: number,
  name: string,
  more: Readonly<Record<string, unknown>> = {},
): HookEvent | null {
  const user = userById(ctx.db, id)
  return user ? userLifeEventOf(user, name, more) : null
}

/** The event of a user as they are or were. */
export function userLifeEventOf(
  user: Said,
  name: string,
  more: Readonly<Record<string, unknown>> = {},
): HookEvent {
  return systemEvent(name, user, {
    name: user.name,
    email: shownEmail(user),
    user_id: user.id,
    username: user.username,
    ...more,
  })
}
