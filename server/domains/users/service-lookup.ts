import type { Ctx } from '../../ctx.ts'
import type { Database } from '../../db/database.ts'
import { notFound } from '../../lib/fail.ts'
import * as emails from './emails/store.ts'
import * as store from './store.ts'
import { settingsOf } from '../settings/index.ts'

/** The user to whom a commit with this address belongs, by a confirmed or private address. */
export function userByCommitEmail(ctx: Ctx, email: string): store.UserRow | undefined {
  const id = userOfPrivateEmail(ctx, email) ?? emails.ownerOf(ctx.db, email)
  const user = id === undefined ? undefined : store.userById(ctx.db, id)
  return user && isOwnCommitEmail(ctx, user.id, email) ? user : undefined
}

/** The id of the user who has this address, confirmed or not, or whom the private address names. */
export function userIdOfEmail(ctx: Ctx, email: string): number | undefined {
  const id = userOfPrivateEmail(ctx, email)
  return id === undefined ? emails.ownerOf(ctx.db, email) : store.userById(ctx.db, id)?.id
}

/** True when a user may commit with this address: a confirmed or the private one of theirs. */
export function isOwnCommitEmail(ctx: Ctx, userId: number, email: string): boolean {
  return userOfPrivateEmail(ctx, email) === userId || emails.isVerified(ctx.db, userId, email)
}

/** True when no other administrator could run the instance. */
export function isLastAdmin(db: Database, user: store.UserRow): boolean {
  return user.is_admin && !store.hasOtherAdmin(db, user.id)
}

/** The user of that id. Throws `404 User Not Found`. */
export function userOf(ctx: Pick<Ctx, 'db'>, id: number): store.UserRow {
  const row = store.userById(ctx.db, id)
  if (!row) throw notFound('User')
  return row
}

/** By id, or by user name in any case; digits only are always an id. Throws `404 User Not Found`. */
export function userNamed(ctx: Pick<Ctx, 'db'>, reference: string): store.UserRow {
  if (/^\d{1,15}$/.test(reference)) return userOf(ctx, Number(reference))
  const row = store.userByUsername(ctx.db, reference)
  if (!row) throw notFound('User')
  return row
}

/** The word that stands for the private address in `commit_email`. */
export const PRIVATE_EMAIL = '_private'

/** The part behind the `@` of private addresses. */
function privateHost(ctx: Pick<Ctx, 'db' | 'now' | 'config'>): string {
  return settingsOf(ctx).commit_email_hostname || `users.noreply.${new URL(ctx.config.url).hostname}`
}

/** An address that names a user in commits and gives nothing away. */
export function privateEmail(
  ctx: Pick<Ctx, 'db' | 'now' | 'config'>,
  user: { id: number; username: string },
): string {
  return `${user.id}-${user.username}@${privateHost(ctx)}`
}

/** The id of the user whom a private address names, whatever they are called by now; undefined for other addresses. */
export function userOfPrivateEmail(
  ctx: Pick<Ctx, 'db' | 'now' | 'config'>,
  email: string,
): number | undefined {
  const [, id, host] = /^(\d{1,15})-[^@]+@(.+)$/.exec(email) ?? []
  return id !== undefined && host?.toLowerCase() === privateHost(ctx).toLowerCase() ? Number(id) : undefined
}
