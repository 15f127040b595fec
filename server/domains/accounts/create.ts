import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import type { UploadedFile } from '../../http/request/upload.ts'
import { fail } from '../../lib/fail.ts'
import { confirmationMode, createAccount } from '../auth/index.ts'
import { checkAvatar } from '../storage/index.ts'
import {
  checkFree,
  checkIdentity,
  passwordHash,
  setIdentity,
  unknownPasswordHash,
  updateUser,
  type UserRow,
} from '../users/index.ts'
import { withAvatar, profileColumns, type Given } from './profile.ts'

/** What an administrator makes a user from; everything else is attributes. */
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
  readonly attributes: Given
}

/** The two ways to a password that nobody knows win over a given one (spec rest-api, Users). */
async function hashFor(ctx: Ctx, given: NewAccount): Promise<string> {
  if (given.reset_password || given.force_random_password) return unknownPasswordHash(ctx)
  if (!given.password) throw fail('parameter', 'password is missing')
  return passwordHash(ctx, given.password, given)
}

/**
 * Creates a user with the personal namespace. Throws 409 for a user name or address of somebody else, 400 for what
 * cannot stand.
 */
export async function createUserAccount(ctx: Ctx, given: NewAccount): Promise<UserRow> {
  const { email, name, username, attributes, avatar } = given
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
  const password_hash = await hashFor(ctx, given)
  const isConfirmed = given.skip_confirmation || confirmationMode(ctx) === 'off'
  const made = tx(ctx.db, () => {
    const user = createAccount(ctx, {
      email,
      name,
      username,
      password_hash,
      is_admin: given.admin ?? false,
      ...(external === undefined ? {} : { external }),
      can_create_group,
      projects_limit,
      columns: { confirmed_at: isConfirmed ? ctx.now : null },
    })
    const columns = profileColumns(ctx, user, rest)
    const { provider, extern_uid } = given
    if (provider !== undefined && extern_uid !== undefined)
      setIdentity(ctx, user.id, { provider, extern_uid })
    return Object.keys(columns).length > 0 ? updateUser(ctx.db, user.id, columns) : user
  })
  if (!avatar) return made
  return withAvatar(ctx, made.id, avatar, (picture) => updateUser(ctx.db, made.id, picture))
}
