import { createHash } from 'node:crypto'

import type { Ctx } from '../../ctx.ts'
import { tx, type Database } from '../../db/database.ts'
import { publish } from '../../events/publish.ts'
import { fail, notFound, invalid } from '../../lib/fail.ts'
import { settingsOf } from '../settings/index.ts'
import * as emails from './emails/store.ts'
import { matchesRegex } from './validation.ts'
import { UserCreated, UserUpdated } from './events.ts'
import * as store from './store.ts'
import type { UserBasicRow, UserRow } from './store.ts'

/** Returns the author of commits with an email address: the user with this confirmed or private address. */
export function userByCommitEmail(ctx: Ctx, email: string): store.UserRow | undefined {
  const id = userOfPrivateEmail(ctx, email) ?? emails.ownerOf(ctx.db, email)
  const user = id === undefined ? undefined : store.userById(ctx.db, id)
  return user && isOwnCommitEmail(ctx, user.id, email) ? user : undefined
}

/** Returns the id of the user with an email address, confirmed or not, or with this private address. */
export function userIdOfEmail(ctx: Ctx, email: string): number | undefined {
  const id = userOfPrivateEmail(ctx, email)
  return id === undefined ? emails.ownerOf(ctx.db, email) : store.userById(ctx.db, id)?.id
}

/**
 * Returns true if a user may commit with an email address: it is one of their confirmed addresses or their private
 * one.
 */
export function isOwnCommitEmail(ctx: Ctx, userId: number, email: string): boolean {
  return userOfPrivateEmail(ctx, email) === userId || emails.isVerified(ctx.db, userId, email)
}

/** Returns true if the user is the only active administrator. */
export function isLastAdmin(db: Database, user: store.UserRow): boolean {
  return user.is_admin && !store.hasOtherAdmin(db, user.id)
}

/** Returns a user by id. Throws `404 User Not Found`. */
export function userOf(ctx: Pick<Ctx, 'db'>, id: number): store.UserRow {
  const row = store.userById(ctx.db, id)
  if (!row) throw notFound('User')
  return row
}

/**
 * Returns a user by id, or by user name (case-insensitively). Digits only are always an id. Throws `404 User Not
 * Found`.
 */
export function findByIdOrName(ctx: Pick<Ctx, 'db'>, reference: string): store.UserRow {
  if (/^\d{1,15}$/.test(reference)) return userOf(ctx, Number(reference))
  const row = store.userByUsername(ctx.db, reference)
  if (!row) throw notFound('User')
  return row
}

/** The value of `commit_email` that selects the private address. */
export const PRIVATE_EMAIL = '_private'

/** Returns the domain of private email addresses. */
function privateHost(ctx: Pick<Ctx, 'db' | 'now' | 'config'>): string {
  return settingsOf(ctx).commit_email_hostname || `users.noreply.${new URL(ctx.config.url).hostname}`
}

/** Returns the private email address of a user. It identifies the user in commits without revealing a real address. */
export function privateEmail(
  ctx: Pick<Ctx, 'db' | 'now' | 'config'>,
  user: { id: number; username: string },
): string {
  return `${user.id}-${user.username}@${privateHost(ctx)}`
}

/**
 * Returns the id of the user with a private email address; undefined for other addresses. The user name in the
 * address may be an earlier one.
 */
function userOfPrivateEmail(ctx: Pick<Ctx, 'db' | 'now' | 'config'>, email: string): number | undefined {
  const [, id, host] = /^(\d{1,15})-[^@]+@(.+)$/.exec(email) ?? []
  return id !== undefined && host?.toLowerCase() === privateHost(ctx).toLowerCase() ? Number(id) : undefined
}

/** Columns of a user. For an undefined column, a new user gets the default, and an update keeps the value. */
export type UserColumns = Partial<Omit<UserRow, 'id'>>

/** The data of a new user. The settings define the defaults of other columns. */
export interface NewUserInput {
  username: string
  name: string
  email: string
  password_hash: string | null
  state?: UserRow['state']
  is_admin?: boolean
  external?: boolean
  can_create_group?: boolean | undefined
  projects_limit?: number | undefined
  /** Values of other columns. */
  columns?: UserColumns
}

/**
 * Returns true if a new user is external by the settings. Email addresses that match the pattern of internal users
 * are exempt.
 */
function isExternal(ctx: Ctx, email: string): boolean {
  const { user_default_external, user_default_internal_regex } = settingsOf(ctx)
  return (
    user_default_external &&
    !(user_default_internal_regex && matchesRegex(ctx.db, email, user_default_internal_regex))
  )
}

/** Inserts a user with the defaults in the settings and publishes the event. Runs in the caller's transaction. */
export function insertUser(ctx: Ctx, input: NewUserInput): UserRow {
  const settings = settingsOf(ctx)
  const { username, name, email, password_hash, columns } = input
  const row = store.insert(ctx.db, {
    username,
    name,
    email,
    password_hash,
    state: input.state ?? 'active',
    is_admin: input.is_admin,
    external: input.external ?? isExternal(ctx, email),
    can_create_group: input.can_create_group ?? settings.can_create_group,
    projects_limit: input.projects_limit ?? settings.default_projects_limit,
    private_profile: settings.user_defaults_to_private_profile,
    color_scheme_id: settings.default_syntax_highlighting_theme,
    confirmed_at: ctx.now,
    created_by_id: ctx.actor.id,
    created_at: ctx.now,
    updated_at: ctx.now,
    ...columns,
  })
  publish(ctx, UserCreated, { user_id: row.id, actor_id: ctx.actor.id })
  return row
}

/** Sets flags of a user. Undefined flags stay unchanged. */
export function changeFlags(
  ctx: Ctx,
  userId: number,
  flags: Readonly<Record<string, boolean | undefined>>,
): UserRow {
  const definedFlags = Object.entries(flags).filter(([, value]) => value !== undefined)
  const columns = Object.fromEntries(definedFlags) as UserColumns
  return tx(ctx.db, () => {
    const user = store.updateUser(ctx.db, userId, { ...columns, updated_at: ctx.now })
    publish(ctx, UserUpdated, { user_id: userId, actor_id: ctx.actor.id, changed: Object.keys(columns) })
    return user
  })
}

/** The avatar for an email address: that of a user, or a URL of an external service. */
export interface AvatarView {
  readonly user: UserBasicRow | undefined
  /** The URL at the external avatar service, if the settings allow it. */
  readonly external_url: string | null
}

const DEFAULT_AVATAR_SIZE = 80

/**
 * Returns the avatar for a public email address. Throws 403 for anonymous callers if the settings forbid public
 * profiles (spec core 7.3).
 */
export function avatarOf(ctx: Ctx, email: string, size: number = DEFAULT_AVATAR_SIZE): AvatarView {
  const settings = settingsOf(ctx)
  const isPublicRestricted = settings.restricted_visibility_levels.includes('public')
  if (ctx.actor.kind === 'anonymous' && isPublicRestricted)
    throw fail('forbidden', '403 Forbidden - Unauthorized access')
  const hash = createHash('md5').update(email.trim().toLowerCase()).digest('hex')
  return {
    user: store.byPublicEmail(ctx.db, email),
    external_url: settings.gravatar_enabled
      ? `https://www.gravatar.com/avatar/${hash}?s=${size}&d=identicon`
      : null,
  }
}

/** The identity of a user at an identity provider. */
export interface IdentityInput {
  readonly provider: string
  readonly extern_uid: string
}

/**
 * Sets the identity of a user at a provider. Throws 400 if it belongs to another user. Runs in the caller's
 * transaction.
 */
export function setIdentity(ctx: Ctx, userId: number, { provider, extern_uid }: IdentityInput): void {
  const owner = store.ownerOfIdentity(ctx.db, provider, extern_uid)
  if (owner !== undefined && owner !== userId)
    throw invalid({ 'identities.extern_uid': 'has already been taken' })
  store.upsertIdentity(ctx.db, { user_id: userId, provider, extern_uid }, ctx.now)
}

/** Deletes the identity of a user at a provider. Throws `404 Identity Not Found`. */
export function removeIdentity(ctx: Ctx, userId: number, provider: string): void {
  tx(ctx.db, () => {
    if (!store.deleteIdentity(ctx.db, userId, provider)) throw notFound('Identity')
    publish(ctx, UserUpdated, { user_id: userId, actor_id: ctx.actor.id, changed: ['identities'] })
  })
}
