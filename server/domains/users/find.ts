import type { Ctx } from '../../ctx.ts'
import type { Database } from '../../db/database.ts'
import { userOfPrivateEmail } from './commit-email.ts'
import * as details from './details.ts'
import * as emails from './emails/store.ts'
import * as store from './store.ts'

/** The user of that id. */
export function userById(db: Database, id: number): store.UserRow | undefined {
  return store.byId(db, id)
}

/** The user of that name, whatever its case. */
export function userByUsername(db: Database, username: string): store.UserRow | undefined {
  return store.byUsername(db, username)
}

/** The user whose name or e-mail address that is. */
export function userByLogin(db: Database, login: string): store.UserRow | undefined {
  return store.byLogin(db, login)
}

/** The user to whom a commit with this address belongs: by a confirmed or private address of theirs. */
export function userByCommitEmail(ctx: Ctx, email: string): store.UserRow | undefined {
  const id = userOfPrivateEmail(ctx, email) ?? emails.ownerOf(ctx.db, email)
  const user = id === undefined ? undefined : store.byId(ctx.db, id)
  const isTheirs =
    user && (userOfPrivateEmail(ctx, email) === user.id || emails.isVerified(ctx.db, user.id, email))
  return isTheirs ? user : undefined
}

/** The id of the user who has this address, confirmed or not, or whose private one it is. */
export function userIdOfEmail(ctx: Ctx, email: string): number | undefined {
  const id = userOfPrivateEmail(ctx, email)
  return id === undefined ? emails.ownerOf(ctx.db, email) : store.byId(ctx.db, id)?.id
}

/** True when a user may commit with this address: a confirmed or the private one of theirs. */
export function isOwnCommitEmail(ctx: Ctx, userId: number, email: string): boolean {
  return userOfPrivateEmail(ctx, email) === userId || emails.isVerified(ctx.db, userId, email)
}

/** Users in their nested form, by id; unknown ids are left out. */
export function usersById(db: Database, ids: readonly number[]): Map<number, store.UserBasicRow> {
  return store.basicByIds(db, ids)
}

/** The user with what the larger views show; `viewerId` is who looks. */
export function withDetails(
  db: Database,
  row: store.UserRow,
  viewerId: number | null = null,
): details.UserDetailRow {
  return details.withDetails(db, [row], viewerId)[0]!
}

/** True when the instance has a user. */
export function hasUsers(db: Database): boolean {
  return store.exists(db)
}

/** True once somebody can sign in with a password; until then the first run is open. */
export function anyPassword(db: Database): boolean {
  return store.anyPassword(db)
}

/** The administrator who was there first: the owner of a personal instance. */
export function firstAdmin(db: Database): store.UserRow | undefined {
  return store.firstAdmin(db)
}

/** True when no other administrator could run the instance. */
export function isLastAdmin(db: Database, user: store.UserRow): boolean {
  return user.is_admin && !store.hasOtherAdmin(db, user.id)
}

/** Changes a user's row. */
export function updateUser(
  db: Database,
  id: number,
  changes: Partial<Omit<store.UserRow, 'id'>>,
): store.UserRow {
  return store.update(db, id, changes)
}

/** Removes a user's row with all that falls with it. */
export function removeUser(db: Database, id: number): void {
  store.remove(db, id)
}
