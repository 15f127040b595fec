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
export function findByIdOrName(ctx: Pick<Ctx, 'db'>, reference: string): store.UserRow {
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
function userOfPrivateEmail(ctx: Pick<Ctx, 'db' | 'now' | 'config'>, email: string): number | undefined {
  const [, id, host] = /^(\d{1,15})-[^@]+@(.+)$/.exec(email) ?? []
  return id !== undefined && host?.toLowerCase() === privateHost(ctx).toLowerCase() ? Number(id) : undefined
}

/** Columns of a user. A new user gets the default for an undefined one; an update keeps it. */
export type UserColumns = Partial<Omit<UserRow, 'id'>>

/** The data of a new user. The settings add the rest. */
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
  /** Other columns, as stored. */
  columns?: UserColumns
}

/** Whether a new user is external: if the settings say so, unless the address matches the pattern of internal users. */
function isExternal(ctx: Ctx, email: string): boolean {
  const { user_default_external, user_default_internal_regex } = settingsOf(ctx)
  return (
    user_default_external &&
    !(user_default_internal_regex && matchesRegex(ctx.db, email, user_default_internal_regex))
  )
}

/** Stores a user with the instance's defaults and publishes the event. Call it in a transaction. */
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

/** Sets flags of a user. Undefined ones stay unchanged. */
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

/** Returns the picture for an address: that of a user, or of an avatar service. */
export interface AvatarView {
  readonly user: UserBasicRow | undefined
  /** Returns the URL at the avatar service, if the settings allow it. */
  readonly elsewhere: string | null
}

const DEFAULT_SIZE = 80

/** Throws 403 to anonymous callers when the settings forbid public profiles (spec core 7.3). */
export function avatarOf(ctx: Ctx, email: string, size: number = DEFAULT_SIZE): AvatarView {
  const settings = settingsOf(ctx)
  const isShut = settings.restricted_visibility_levels.includes('public')
  if (ctx.actor.kind === 'anonymous' && isShut) throw fail('forbidden', '403 Forbidden - Unauthorized access')
  const hash = createHash('md5').update(email.trim().toLowerCase()).digest('hex')
  return {
    user: store.byPublicEmail(ctx.db, email),
    elsewhere: settings.gravatar_enabled
      ? `https://www.gravatar.com/avatar/${hash}?s=${size}&d=identicon`
      : null,
  }
}

/** An account at a sign-in provider. */
export interface IdentityInput {
  readonly provider: string
  readonly extern_uid: string
}

/** Throws 400 when the account at the provider belongs to another user. Call it in a transaction. */
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
