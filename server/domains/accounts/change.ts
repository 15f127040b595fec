import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import type { UploadedFile } from '../../http/request/upload.ts'
import { invalid } from '../../lib/fail.ts'
import { checkAvatar } from '../storage/index.ts'
import {
  checkFree,
  checkIdentity,
  isLastAdmin,
  passwordHash,
  setIdentity,
  userOf,
  type UserRow,
} from '../users/index.ts'
import { withAvatar, changeEmail, changeProfile, profileColumns, type Given } from './profile.ts'

/** What an administrator changes of a user; everything else is attributes. */
export interface ChangedAccount {
  readonly email?: string | undefined
  readonly name?: string | undefined
  readonly username?: string | undefined
  readonly password?: string | undefined
  readonly admin?: boolean | undefined
  readonly skip_reconfirmation?: boolean | undefined
  readonly provider?: string | undefined
  readonly extern_uid?: string | undefined
  readonly avatar?: UploadedFile | null | undefined
  readonly attributes: Given
}

/** A password that somebody else has set must be changed before anything else. */
async function passwordColumns(ctx: Ctx, user: UserRow, { password, ...given }: ChangedAccount) {
  if (password === undefined) return {}
  const { username = user.username, name = user.name, email = user.email } = given
  const password_hash = await passwordHash(ctx, password, { username, name, email })
  return { password_hash, password_expires_at: ctx.actor.id === user.id ? null : ctx.now }
}

/**
 * Changes a user. Throws `404 User Not Found`, 409 for a user name or address of somebody else, 400 for what cannot
 * stand and for taking its rights from the only administrator.
 */
export async function changeUserAccount(ctx: Ctx, id: number, given: ChangedAccount): Promise<UserRow> {
  const user = userOf(ctx, id)
  const { email, name, username, admin, avatar, attributes } = given
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
  const password = await passwordColumns(ctx, user, given)
  // What cannot stand is refused before the picture is replaced.
  profileColumns(ctx, user, attributes)
  return withAvatar(ctx, id, avatar, (picture) =>
    tx(ctx.db, () => {
      // Whoever was deleted while the password was hashed is not there any more.
      const before = userOf(ctx, id)
      const changed = changeProfile(
        ctx,
        before,
        { ...attributes, name, username, admin },
        { ...password, ...picture },
      )
      const { provider, extern_uid } = given
      if (provider !== undefined && extern_uid !== undefined) setIdentity(ctx, id, { provider, extern_uid })
      return email === undefined
        ? changed
        : changeEmail(ctx, changed, email, given.skip_reconfirmation ?? false)
    }),
  )
}
