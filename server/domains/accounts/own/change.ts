import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import type { UploadedFile } from '../../../http/request/upload.ts'
import { invalid } from '../../../lib/fail.ts'
import { settingsOf } from '../../settings/index.ts'
import { checkAvatar } from '../../storage/index.ts'
import { checkEmailAllowed, checkFree, checkIdentity, userOf, type UserRow } from '../../users/index.ts'
import { withAvatar, changeEmail, changeProfile, profileColumns, type Given } from '../profile.ts'

/** What somebody changes of themselves; everything else is attributes. */
export interface OwnChanges {
  readonly email?: string | undefined
  readonly name?: string | undefined
  readonly username?: string | undefined
  readonly timezone?: string | null | undefined
  readonly avatar?: UploadedFile | null | undefined
  readonly attributes: Given
}

function isTimezone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

function check(ctx: Ctx, user: UserRow, { email, name, username, timezone, attributes }: OwnChanges): void {
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

/** Where only administrators change names, what others send for theirs is left out. */
function mayChangeName(ctx: Ctx): boolean {
  return ctx.actor.is_admin || !settingsOf(ctx).updating_name_disabled_for_users
}

/**
 * Changes the actor's own profile. A new e-mail address counts once it is confirmed; administrators, who could confirm
 * it themselves, have it at once. Throws 409 for a user name or address of somebody else, 400 for what cannot stand.
 */
export async function changeOwn(ctx: Ctx, given: OwnChanges): Promise<UserRow> {
  const id = ctx.actor.id!
  const { email, username, timezone, avatar, attributes } = given
  const name = mayChangeName(ctx) ? given.name : undefined
  check(ctx, userOf(ctx, id), given)
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
