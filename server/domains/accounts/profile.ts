import type { Ctx } from '../../ctx.ts'
import { publish } from '../../events/publish.ts'
import type { UploadedFile } from '../../http/request/upload.ts'
import { changeAccount } from '../auth/index.ts'
import { replaceAvatar } from '../storage/index.ts'
import { EmailChangeRequested, UserUpdated } from '../users/events.ts'
import {
  becomePrimary,
  checkOwnAddresses,
  isVerifiedEmail,
  PRIVATE_EMAIL,
  privateEmail,
  toColumns,
  updateUser,
  type UserColumns,
  type UserRow,
} from '../users/index.ts'

/** Attributes as the parameters give them. */
export type Given = Readonly<Record<string, unknown>>

/**
 * Attributes → columns, with the private commit address written out. Throws 400 for addresses that are not confirmed
 * addresses of the user. Inside the transaction that stores them.
 */
export function profileColumns(ctx: Ctx, user: UserRow, given: Given): UserColumns {
  const columns = toColumns(given) as UserColumns
  const { public_email, commit_email } = columns
  const isPrivate = commit_email === PRIVATE_EMAIL || commit_email === privateEmail(ctx, user)
  checkOwnAddresses(ctx, user.id, { public_email, commit_email: isPrivate ? undefined : commit_email })
  return isPrivate ? { ...columns, commit_email: privateEmail(ctx, user) } : columns
}

/**
 * Changes attributes, name and user name, and columns as they are. A private commit address follows the user name.
 * Inside the transaction.
 */
export function changeProfile(ctx: Ctx, before: UserRow, given: Given, more: UserColumns = {}): UserRow {
  const columns = { ...profileColumns(ctx, before, given), ...more }
  const { username = before.username, commit_email = before.commit_email } = columns
  const isPrivate = commit_email !== null && commit_email === privateEmail(ctx, before)
  const follows = isPrivate ? { commit_email: privateEmail(ctx, { id: before.id, username }) } : {}
  return changeAccount(ctx, before, { ...columns, ...follows })
}

/**
 * Makes an address the primary one: at once when it is confirmed already or needs no confirmation, else when it is
 * confirmed. Inside the transaction.
 */
export function changeEmail(ctx: Ctx, user: UserRow, email: string, needsNone: boolean): UserRow {
  const ids = { user_id: user.id, actor_id: ctx.actor.id }
  if (email.toLowerCase() === user.email.toLowerCase()) {
    return updateUser(ctx.db, user.id, { email, unconfirmed_email: null })
  }
  if (needsNone || isVerifiedEmail(ctx.db, user.id, email)) {
    const changed = becomePrimary(ctx, user, email)
    publish(ctx, UserUpdated, { ...ids, changed: ['email'], changes: { email: [user.email, email] } })
    return changed
  }
  const changed = updateUser(ctx.db, user.id, { unconfirmed_email: email })
  publish(ctx, EmailChangeRequested, ids)
  return changed
}

/** Puts the picture of a user at its place, or takes it away. `record` writes the column; none when nothing was asked. */
export async function withAvatar<T>(
  ctx: Ctx,
  userId: number,
  avatar: UploadedFile | null | undefined,
  record: (column: { avatar?: string | null }) => T,
): Promise<T> {
  if (avatar === undefined) return record({})
  return replaceAvatar(ctx, 'user', userId, avatar, (name) => record({ avatar: name }))
}
