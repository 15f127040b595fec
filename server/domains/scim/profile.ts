import type { Ctx } from '../../ctx.ts'
import { fail } from '../../lib/fail.ts'
import { changeEmail, changeProfile } from '../accounts/index.ts'
import { checkFree, checkIdentity, userOf, type UserRow } from '../users/index.ts'
import { cleanUsername, isCalled } from './names.ts'
import type { ScimPlace } from './place.ts'
import type { Incoming } from './protocol/incoming.ts'
import { asPrecondition } from './refusals.ts'
import { isNameFree, isOnlyIn } from './store.ts'

/** Names may change where the place made the account; those of people who were there before are theirs. */
function mayRename(place: ScimPlace, user: UserRow): boolean {
  if (place.group_id === null) return true
  return user.provisioned_by_group_id === place.group_id && user.is_admin === 0
}

/**
 * Who sets an address can set the password by it. So a group sets those of accounts that it made and that have nothing
 * outside of it; those of administrators are set by no identity provider.
 */
function mayReaddress(ctx: Ctx, place: ScimPlace, user: UserRow): boolean {
  if (user.is_admin === 1 || !mayRename(place, user)) return false
  return place.group_id === null || isOnlyIn(ctx.db, place.group_id, user.id)
}

/**
 * Brings name, user name and address to what the identity provider says; what it may not change stays. True when something
 * did. Throws 409 for a user name or address of somebody else, 412 for what cannot stand. Inside the transaction.
 */
export function changeUser(ctx: Ctx, place: ScimPlace, userId: number, given: Incoming): boolean {
  const before = userOf(ctx, userId)
  let user = before
  const names = mayRename(place, user) ? namesToChange(ctx, user, given) : {}
  if (Object.keys(names).length > 0) user = changeProfile(ctx, user, names)
  const { email } = given
  if (
    email !== undefined &&
    email.toLowerCase() !== user.email.toLowerCase() &&
    mayReaddress(ctx, place, user)
  ) {
    asPrecondition(() => checkIdentity({ email }))
    checkFree(ctx, { email }, userId)
    user = changeEmail(ctx, user, email, true)
  }
  return user !== before
}

function namesToChange(ctx: Ctx, user: UserRow, { name, userName }: Incoming) {
  const changes: { name?: string; username?: string } = {}
  if (name !== undefined && name !== user.name) changes.name = name
  if (userName !== undefined && !isCalled(user.username, userName)) changes.username = cleanUsername(userName)
  asPrecondition(() => checkIdentity(changes))
  const { username } = changes
  if (
    username !== undefined &&
    username.toLowerCase() !== user.username.toLowerCase() &&
    !isNameFree(ctx.db, username)
  )
    throw fail('conflict', 'Username has already been taken')
  return changes
}
