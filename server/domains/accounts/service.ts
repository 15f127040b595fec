import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import type { UploadedFile } from '../../lib/files/uploaded-file.ts'
import { invalid, fail } from '../../lib/fail.ts'
import { tokenDigest } from '../../lib/security/crypto.ts'
import { settingsOf } from '../settings/index.ts'
import { checkAvatar, replaceAvatar } from '../storage/index.ts'
import {
  checkFree,
  checkIdentity,
  isLastAdmin,
  passwordHash,
  setIdentity,
  userOf,
  type UserRow,
  unknownPasswordHash,
  updateUser,
  makePrimary,
  checkOwnAddresses,
  isVerifiedEmail,
  PRIVATE_EMAIL,
  privateEmail,
  toColumns,
  type UserColumns,
  getEmail,
  setEmailConfirmation,
  checkEmailAllowed,
} from '../users/index.ts'
import {
  confirmationMode,
  createAccount,
  changeAccount,
  confirmationUrl,
  type OneTimeLink,
} from '../auth/index.ts'
import { publish } from '../../events/publish.ts'
import { EmailChangeRequested, UserUpdated } from '../users/events.ts'

/** The changes of a user by an administrator. Profile columns are in `attributes`. */
export interface AccountChanges {
  readonly email?: string | undefined
  readonly name?: string | undefined
  readonly username?: string | undefined
  readonly password?: string | undefined
  readonly admin?: boolean | undefined
  readonly skip_reconfirmation?: boolean | undefined
  readonly provider?: string | undefined
  readonly extern_uid?: string | undefined
  readonly avatar?: UploadedFile | null | undefined
  readonly attributes: Input
}

/** Returns the columns of a new password. A password that another user set has expired, so its user must change it. */
async function passwordColumns(ctx: Ctx, user: UserRow, { password, ...changes }: AccountChanges) {
  if (password === undefined) return {}
  const { username = user.username, name = user.name, email = user.email } = changes
  const password_hash = await passwordHash(ctx, password, { username, name, email })
  return { password_hash, password_expires_at: ctx.actor.id === user.id ? null : ctx.now }
}

/**
 * Changes a user. Throws `404 User Not Found`, 409 for a user name or email address that is taken, 400 for invalid
 * fields and for the removal of the only administrator.
 */
export async function changeUserAccount(ctx: Ctx, id: number, changes: AccountChanges): Promise<UserRow> {
  const user = userOf(ctx, id)
  const { email, name, username, admin, avatar, attributes } = changes
  checkIdentity({
    email,
    name,
    username,
    website_url: attributes['website_url'] as string | null | undefined,
  })
  checkFree(ctx, { email, username }, id)
  if (admin === false && isLastAdmin(ctx.db, user))
    throw invalid({ admin: 'cannot be taken from the only administrator' })
  if (avatar) await checkAvatar(avatar)
  const password = await passwordColumns(ctx, user, changes)
  // The attributes are checked first, so that invalid ones do not replace the avatar.
  profileColumns(ctx, user, attributes)
  return withAvatar(ctx, id, avatar, (picture) =>
    tx(ctx.db, () => {
      // The user is loaded again: it may have been deleted while the password was hashed.
      const before = userOf(ctx, id)
      const changed = changeProfile(
        ctx,
        before,
        { ...attributes, name, username, admin },
        { ...password, ...picture },
      )
      const { provider, extern_uid } = changes
      if (provider !== undefined && extern_uid !== undefined) setIdentity(ctx, id, { provider, extern_uid })
      return email === undefined
        ? changed
        : changeEmail(ctx, changed, email, changes.skip_reconfirmation ?? false)
    }),
  )
}

/** The data of a new user. Profile columns are in `attributes`. */
export interface NewAccount {
  readonly email: string
  readonly name: string
  readonly username: string
  readonly password?: string | undefined
  readonly reset_password?: boolean | undefined
  readonly force_random_password?: boolean | undefined
  readonly admin?: boolean | undefined
  readonly skip_confirmation?: boolean | undefined
  readonly provider?: string | undefined
  readonly extern_uid?: string | undefined
  readonly avatar?: UploadedFile | null | undefined
  readonly attributes: Input
}

/**
 * Returns the password hash of a new user. A random password takes precedence over a given one (spec rest-api,
 * Users).
 */
async function newPasswordHash(ctx: Ctx, input: NewAccount): Promise<string> {
  if (input.reset_password || input.force_random_password) return unknownPasswordHash(ctx)
  if (!input.password) throw fail('parameter', 'password is missing')
  return passwordHash(ctx, input.password, input)
}

/**
 * Creates a user with the personal namespace. Throws 409 for a user name or email address that is taken, 400 for
 * invalid fields.
 */
export async function createUserAccount(ctx: Ctx, input: NewAccount): Promise<UserRow> {
  const { email, name, username, attributes, avatar } = input
  const { external, can_create_group, projects_limit, ...rest } = attributes as {
    external?: boolean
    can_create_group?: boolean
    projects_limit?: number
  }
  checkIdentity({
    email,
    name,
    username,
    website_url: attributes['website_url'] as string | null | undefined,
  })
  checkFree(ctx, { email, username })
  if (avatar) await checkAvatar(avatar)
  const password_hash = await newPasswordHash(ctx, input)
  const isConfirmed = input.skip_confirmation || confirmationMode(ctx) === 'off'
  const created = tx(ctx.db, () => {
    const user = createAccount(ctx, {
      email,
      name,
      username,
      password_hash,
      is_admin: input.admin ?? false,
      ...(external === undefined ? {} : { external }),
      can_create_group,
      projects_limit,
      columns: { confirmed_at: isConfirmed ? ctx.now : null },
    })
    const columns = profileColumns(ctx, user, rest)
    const { provider, extern_uid } = input
    if (provider !== undefined && extern_uid !== undefined)
      setIdentity(ctx, user.id, { provider, extern_uid })
    return Object.keys(columns).length > 0 ? updateUser(ctx.db, user.id, columns) : user
  })
  if (!avatar) return created
  return withAvatar(ctx, created.id, avatar, (picture) => updateUser(ctx.db, created.id, picture))
}

/** The attributes in a request. */
type Input = Readonly<Record<string, unknown>>

/**
 * Returns attributes as columns, with the full private commit address. Throws 400 for an email address that is not a
 * confirmed one of the user. Runs in the transaction that stores the columns.
 */
function profileColumns(ctx: Ctx, user: UserRow, input: Input): UserColumns {
  const columns = toColumns(input) as UserColumns
  const { public_email, commit_email } = columns
  const isPrivate = commit_email === PRIVATE_EMAIL || commit_email === privateEmail(ctx, user)
  checkOwnAddresses(ctx, user.id, { public_email, commit_email: isPrivate ? undefined : commit_email })
  return isPrivate ? { ...columns, commit_email: privateEmail(ctx, user) } : columns
}

/**
 * Updates attributes, name, user name and further columns. A private commit address changes with the user name. Runs
 * in the caller's transaction.
 */
export function changeProfile(
  ctx: Ctx,
  before: UserRow,
  input: Input,
  moreColumns: UserColumns = {},
): UserRow {
  const columns = { ...profileColumns(ctx, before, input), ...moreColumns }
  const { username = before.username, commit_email = before.commit_email } = columns
  const isPrivate = commit_email !== null && commit_email === privateEmail(ctx, before)
  const commitEmail = isPrivate ? { commit_email: privateEmail(ctx, { id: before.id, username }) } : {}
  return changeAccount(ctx, before, { ...columns, ...commitEmail })
}

/**
 * Changes the primary email address: at once if the address is confirmed already or needs no confirmation, otherwise
 * after its confirmation. Runs in the caller's transaction.
 */
export function changeEmail(ctx: Ctx, user: UserRow, email: string, skipsConfirmation: boolean): UserRow {
  const ids = { user_id: user.id, actor_id: ctx.actor.id }
  if (email.toLowerCase() === user.email.toLowerCase()) {
    return updateUser(ctx.db, user.id, { email, unconfirmed_email: null })
  }
  if (skipsConfirmation || isVerifiedEmail(ctx.db, user.id, email)) {
    const changed = makePrimary(ctx, user, email)
    publish(ctx, UserUpdated, { ...ids, changed: ['email'], changes: { email: [user.email, email] } })
    return changed
  }
  const changed = updateUser(ctx.db, user.id, { unconfirmed_email: email })
  publish(ctx, EmailChangeRequested, ids)
  return changed
}

/**
 * Stores or removes the avatar of a user, and calls `record` with its column. An undefined avatar changes no column.
 */
async function withAvatar<T>(
  ctx: Ctx,
  userId: number,
  avatar: UploadedFile | null | undefined,
  record: (column: { avatar?: string | null }) => T,
): Promise<T> {
  if (avatar === undefined) return record({})
  return replaceAvatar(ctx, 'user', userId, avatar, (name) => record({ avatar: name }))
}

/** Creates a link that confirms a secondary email address. Throws 409 if it is confirmed already. */
export function createEmailConfirmationLink(ctx: Ctx, userId: number, emailId: number): OneTimeLink {
  const email = getEmail(ctx, userId, emailId)
  if (email.confirmed_at !== null) throw fail('conflict', 'The email address is already confirmed.')
  const token = ctx.random.token(32)
  setEmailConfirmation(ctx.db, email.id, tokenDigest(token))
  return { token, url: confirmationUrl(ctx, token), expires_at: null }
}

/** The changes of a user's own profile. Profile columns are in `attributes`. */
interface OwnChanges {
  readonly email?: string | undefined
  readonly name?: string | undefined
  readonly username?: string | undefined
  readonly timezone?: string | null | undefined
  readonly avatar?: UploadedFile | null | undefined
  readonly attributes: Input
}

function isTimezone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

function checkOwnChanges(
  ctx: Ctx,
  user: UserRow,
  { email, name, username, timezone, attributes }: OwnChanges,
): void {
  checkIdentity({
    email,
    name,
    username,
    website_url: attributes['website_url'] as string | null | undefined,
  })
  checkFree(ctx, { email, username }, user.id)
  const isNew = email !== undefined && email.toLowerCase() !== user.email.toLowerCase()
  if (isNew && !ctx.actor.is_admin) checkEmailAllowed(ctx, email)
  profileColumns(ctx, user, attributes)
  if (timezone && !isTimezone(timezone)) throw invalid({ timezone: 'is not a valid time zone' })
}

/** Returns false if only administrators may change names. The request's name is then ignored. */
function mayChangeName(ctx: Ctx): boolean {
  return ctx.actor.is_admin || !settingsOf(ctx).updating_name_disabled_for_users
}

/**
 * Updates the actor's own profile. A new email address takes effect after its confirmation; that of an administrator
 * takes effect at once, because administrators can create confirmation links. Throws 409 for a user name or email
 * address that is taken, 400 for invalid fields.
 */
export async function changeOwnAccount(ctx: Ctx, changes: OwnChanges): Promise<UserRow> {
  const id = ctx.actor.id!
  const { email, username, timezone, avatar, attributes } = changes
  const name = mayChangeName(ctx) ? changes.name : undefined
  checkOwnChanges(ctx, userOf(ctx, id), changes)
  if (avatar) await checkAvatar(avatar)
  const zone = timezone === undefined ? {} : { timezone: timezone || null }
  return withAvatar(ctx, id, avatar, (picture) =>
    tx(ctx.db, () => {
      const changed = changeProfile(
        ctx,
        userOf(ctx, id),
        { ...attributes, name, username },
        { ...zone, ...picture },
      )
      return email === undefined ? changed : changeEmail(ctx, changed, email, ctx.actor.is_admin)
    }),
  )
}
