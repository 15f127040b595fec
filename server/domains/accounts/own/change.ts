import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import type { UploadedFile } from '../../../lib/files/uploaded-file.ts'
import { invalid } from '../../../lib/fail.ts'
import { settingsOf } from '../../settings/index.ts'
import { checkAvatar } from '../../storage/index.ts'
import { checkEmailAllowed, checkFree, checkIdentity, userOf, type UserRow } from '../../users/index.ts'
import { withAvatar, changeEmail, changeProfile, profileColumns, type Given } from '../service.ts'

/** A change of the own profile; all other fields are attributes. */
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

/** If only administrators can change names, names of other users are ignored. */
function mayChangeName(ctx: Ctx): boolean {
  return ctx.actor.is_admin || !settingsOf(ctx).updating_name_disabled_for_users
}

/**
 * Updates the actor's own profile. A new email address takes effect after its confirmation; for administrators, who could
 * confirm it themselves, at once. Throws 409 for a taken user name or address, 400 for invalid fields.
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
