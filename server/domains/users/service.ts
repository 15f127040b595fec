import { createHash } from 'node:crypto'
import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import { publish } from '../../events/publish.ts'
import { fail, notFound, invalid } from '../../lib/fail.ts'
import { settingsOf } from '../settings/index.ts'
import { matchesRegex } from './validation.ts'
import { UserCreated, UserUpdated } from './events.ts'
import * as store from './store.ts'
import type { UserBasicRow, UserRow } from './store.ts'

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

/** Sets flags of a user. Undefined ones stay as they are. */
export function changeFlags(
  ctx: Ctx,
  userId: number,
  flags: Readonly<Record<string, boolean | undefined>>,
): UserRow {
  const given = Object.entries(flags).filter(([, value]) => value !== undefined)
  const columns = Object.fromEntries(given) as UserColumns
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
export interface GivenIdentity {
  readonly provider: string
  readonly extern_uid: string
}

/** Throws 400 when the account at the provider belongs to another user. Call it in a transaction. */
export function setIdentity(ctx: Ctx, userId: number, { provider, extern_uid }: GivenIdentity): void {
  const owner = store.ownerOfIdentity(ctx.db, provider, extern_uid)
  if (owner !== undefined && owner !== userId)
    throw invalid({ 'identities.extern_uid': 'has already been taken' })
  store.putIdentity(ctx.db, { user_id: userId, provider, extern_uid }, ctx.now)
}

/** Deletes the identity of a user at a provider. Throws `404 Identity Not Found`. */
export function removeIdentity(ctx: Ctx, userId: number, provider: string): void {
  tx(ctx.db, () => {
    if (!store.deleteIdentity(ctx.db, userId, provider)) throw notFound('Identity')
    publish(ctx, UserUpdated, { user_id: userId, actor_id: ctx.actor.id, changed: ['identities'] })
  })
}
