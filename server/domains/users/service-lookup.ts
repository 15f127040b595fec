import type { Ctx } from '../../ctx.ts'
import type { Database } from '../../db/database.ts'
import { notFound } from '../../lib/fail.ts'
import * as emails from './emails/store.ts'
import * as store from './store.ts'
import { settingsOf } from '../settings/index.ts'

/** Returns the author of commits with this address: the user who has it as a confirmed or private address. */
export function userByCommitEmail(ctx: Ctx, email: string): store.UserRow | undefined {
  const id = userOfPrivateEmail(ctx, email) ?? emails.ownerOf(ctx.db, email)
  const user = id === undefined ? undefined : store.userById(ctx.db, id)
  return user && isOwnCommitEmail(ctx, user.id, email) ? user : undefined
}

/** Returns the ID of the user with this address, confirmed or not, or with this private address. */
export function userIdOfEmail(ctx: Ctx, email: string): number | undefined {
  const id = userOfPrivateEmail(ctx, email)
  return id === undefined ? emails.ownerOf(ctx.db, email) : store.userById(ctx.db, id)?.id
}

/** Whether a user may commit with this address: it must be one of their confirmed addresses or their private one. */
export function isOwnCommitEmail(ctx: Ctx, userId: number, email: string): boolean {
  return userOfPrivateEmail(ctx, email) === userId || emails.isVerified(ctx.db, userId, email)
}

/** Whether the user is the only administrator. */
export function isLastAdmin(db: Database, user: store.UserRow): boolean {
  return user.is_admin && !store.hasOtherAdmin(db, user.id)
}

/** Finds a user by ID. Throws `404 User Not Found`. */
export function userOf(ctx: Pick<Ctx, 'db'>, id: number): store.UserRow {
  const row = store.userById(ctx.db, id)
  if (!row) throw notFound('User')
  return row
}

/** Finds a user by ID, or by user name in any case. Digits only are always an ID. Throws `404 User Not Found`. */
export function userNamed(ctx: Pick<Ctx, 'db'>, reference: string): store.UserRow {
  if (/^\d{1,15}$/.test(reference)) return userOf(ctx, Number(reference))
  const row = store.userByUsername(ctx.db, reference)
  if (!row) throw notFound('User')
  return row
}

/** The value of `commit_email` that selects the private address. */
export const PRIVATE_EMAIL = '_private'

/** The part after the `@` of private addresses. */
function privateHost(ctx: Pick<Ctx, 'db' | 'now' | 'config'>): string {
  return settingsOf(ctx).commit_email_hostname || `users.noreply.${new URL(ctx.config.url).hostname}`
}

/** Makes the private address of a user. It identifies the user in commits without revealing an email address. */
export function privateEmail(
  ctx: Pick<Ctx, 'db' | 'now' | 'config'>,
  user: { id: number; username: string },
): string {
  return `${user.id}-${user.username}@${privateHost(ctx)}`
}

/**
 * Returns the ID of the user with a private address, also after a change of the user name. Undefined for other
 * addresses.
 */
export function userOfPrivateEmail(
  ctx: Pick<Ctx, 'db' | 'now' | 'config'>,
  email: string,
): number | undefined {
  const [, id, host] = /^(\d{1,15})-[^@]+@(.+)$/.exec(email) ?? []
  return id !== undefined && host?.toLowerCase() === privateHost(ctx).toLowerCase() ? Number(id) : undefined
}
