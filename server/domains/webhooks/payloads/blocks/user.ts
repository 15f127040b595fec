import type { Ctx } from '../../../../ctx.ts'
import { avatarUrl } from '../../../users/entity.ts'
import { userById, type UserRow } from '../../../users/index.ts'

/** What stands where somebody shows no e-mail address. */
const HIDDEN_EMAIL = '[REDACTED]'

/** The address that a user shows to everybody; receivers of events get no other (spec administration 3.7). */
export function shownEmail(user: Pick<UserRow, 'public_email'>): string {
  return user.public_email || HIDDEN_EMAIL
}

/** Address of a user's picture. */
export function pictureOf(ctx: Pick<Ctx, 'config' | 'now'>, user: UserRow): string {
  return avatarUrl(user, { url: ctx.config.url, now: ctx.now })
}

/** A user in an event (spec administration 3.8, U). */
export function userBlock(ctx: Pick<Ctx, 'config' | 'now'>, user: UserRow) {
  return {
    id: user.id,
    name: user.name,
    username: user.username,
    avatar_url: pictureOf(ctx, user),
    email: shownEmail(user),
  }
}

/** A user in an event. */
export type UserBlock = ReturnType<typeof userBlock>

/** The same by id; null for nobody, and for somebody who is gone. */
export function userBlockOf(ctx: Ctx, id: number | null): UserBlock | null {
  const user = id === null ? undefined : userById(ctx.db, id)
  return user ? userBlock(ctx, user) : null
}

/** Several users by id, in that order; those who are gone are left out. */
export function userBlocks(ctx: Ctx, ids: readonly number[]): UserBlock[] {
  return ids.flatMap((id) => userBlockOf(ctx, id) ?? [])
}
