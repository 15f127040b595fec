import type { Ctx } from '../../../ctx.ts'
import { tx, type Database } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { isoDate } from '../../../lib/clock.ts'
import { Failure, fail } from '../../../lib/fail.ts'
import { isValidPath } from '../../../lib/text/slug.ts'
import { GUEST } from '../../../policy/levels.ts'
import { changeEmail, changeProfile } from '../service.ts'
import { changeState } from '../states/change.ts'
import { createAccount } from '../../auth/index.ts'
import type { Group } from '../../groups/index.ts'
import { groupSource, insertMember, removeMember } from '../../members/index.ts'
import {
  checkFree,
  checkIdentity,
  isLastAdmin,
  unknownPasswordHash,
  userOf,
  type UserRow,
} from '../../users/index.ts'
import { UNUSABLE_STATES, isActive } from './protocol/patch.ts'
import { ScimIdentityChanged } from '../events.ts'
import type { ScimScope } from './service-scope.ts'
import type { IncomingUser } from './protocol/incoming.ts'
import * as store from './store.ts'
import { isNameUnused, isOnlyIn, type ScimUserRow } from './store.ts'

const MAX_UID = 255

type Action = 'provisioned' | 'updated' | 'deactivated' | 'reactivated' | 'removed'

function publishChange(
  ctx: Ctx,
  scope: ScimScope,
  row: Pick<ScimUserRow, 'user_id' | 'extern_uid'>,
  action: Action,
): void {
  const { user_id, extern_uid } = row
  publish(ctx, ScimIdentityChanged, {
    group_id: scope.group_id,
    actor_id: ctx.actor.id,
    user_id,
    extern_uid,
    action,
  })
}

/** Returns the user with an external UID. Throws 404 `Resource … not found`. */
export function findUser(ctx: Ctx, scope: ScimScope, uid: string): ScimUserRow {
  const row = store.byUid(ctx.db, scope.group_id, uid)
  if (!row) throw fail('not_found', `Resource ${uid} not found`)
  return row
}

/** Returns the fields of a new user. Throws 412 if a required field is absent. */
function requireFields(incoming: IncomingUser) {
  const { externalId, userName, name, email } = incoming
  if (externalId !== undefined && userName !== undefined && name !== undefined && email !== undefined)
    return { externalId, userName, name, email, active: incoming.active ?? true }
  const required = { externalId, userName, name, emails: email }
  const missingFields = Object.entries(required).filter(([, value]) => value === undefined)
  throw fail('precondition_failed', `Missing params: [${missingFields.map(([name]) => name).join(', ')}]`)
}

type NewUser = ReturnType<typeof requireFields>

/**
 * Provisions a user: reactivates the one with this external UID, or else connects the one with this confirmed email
 * address, or else creates one (spec administration 8.2). Throws 412 for absent and invalid fields, 409 for an email
 * address that is taken.
 */
export async function provision(ctx: Ctx, scope: ScimScope, incoming: IncomingUser): Promise<ScimUserRow> {
  const fields = requireFields(incoming)
  checkUid(fields.externalId)
  asPrecondition(() => checkIdentity({ email: fields.email, name: fields.name }))
  const isNew =
    !store.byUid(ctx.db, scope.group_id, fields.externalId) && !store.ownerOfEmail(ctx.db, fields.email)
  // The password is hashed before the transaction, because that takes long. The transaction checks again for an
  // existing user.
  const password_hash = isNew ? await unknownPasswordHash(ctx) : null
  return tx(ctx.db, () => {
    const existingIdentity = store.byUid(ctx.db, scope.group_id, fields.externalId)
    if (existingIdentity) return reactivate(ctx, scope, existingIdentity, fields.active)
    const user_id = ownerOf(ctx, fields.email) ?? newUser(ctx, scope, fields, password_hash)
    return connect(ctx, scope, user_id, fields)
  })
}

function checkUid(uid: string): void {
  if (uid.length > MAX_UID)
    throw fail('precondition_failed', `id is too long (maximum is ${MAX_UID} characters)`)
}

/** Reactivates a user who was provisioned before, if the provider reports the user as active. */
function reactivate(ctx: Ctx, scope: ScimScope, row: ScimUserRow, active: boolean): ScimUserRow {
  if (!active) return row
  grantAccess(ctx, scope, row.user_id)
  return setActive(ctx, scope, row, true)
}

/** Returns the id of the user with a confirmed email address. Throws 409 if the address is not confirmed. */
function ownerOf(ctx: Ctx, email: string): number | undefined {
  const owner = store.ownerOfEmail(ctx.db, email)
  if (owner && (owner.is_confirmed === 0 || owner.kind !== 'human'))
    throw fail('conflict', 'Email has already been taken')
  return owner?.id
}

function newUser(ctx: Ctx, scope: ScimScope, fields: NewUser, password_hash: string | null): number {
  const { name, email } = fields
  const columns = { confirmed_at: ctx.now, provisioned_by_group_id: scope.group_id }
  const username = unusedUsername(ctx.db, fields.userName)
  return asPrecondition(() => createAccount(ctx, { username, name, email, password_hash, columns })).id
}

/** Stores the identity of a user, and grants or revokes access. */
function connect(ctx: Ctx, scope: ScimScope, user_id: number, fields: NewUser): ScimUserRow {
  if (store.byUser(ctx.db, scope.group_id, user_id))
    throw fail('conflict', 'The user already has another external UID')
  store.insert(ctx.db, {
    group_id: scope.group_id,
    user_id,
    extern_uid: fields.externalId,
    active: fields.active,
    created_at: ctx.now,
    updated_at: ctx.now,
  })
  const row = store.byUser(ctx.db, scope.group_id, user_id)!
  if (fields.active) grantAccess(ctx, scope, user_id)
  else revokeAccess(ctx, scope, row)
  publishChange(ctx, scope, row, 'provisioned')
  return store.byUser(ctx.db, scope.group_id, user_id)!
}

/**
 * Applies changed data of a user. Throws 409 for an external UID, user name or email address that is taken, 412 for
 * invalid data.
 */
export function updateFromProvider(
  ctx: Ctx,
  scope: ScimScope,
  uid: string,
  incoming: IncomingUser,
): ScimUserRow {
  return tx(ctx.db, () => {
    const before = findUser(ctx, scope, uid)
    const identity =
      incoming.externalId === undefined ? before : setUid(ctx, scope, before, incoming.externalId)
    if (changeUser(ctx, scope, before.user_id, incoming)) {
      store.update(ctx.db, before.id, { updated_at: ctx.now })
      publishChange(ctx, scope, identity, 'updated')
    }
    const row = store.byUser(ctx.db, scope.group_id, before.user_id)!
    return incoming.active === undefined ? row : setActive(ctx, scope, row, incoming.active)
  })
}

/** Changes the external UID of an identity. Throws 409 if it is taken. */
export function setUid(ctx: Ctx, scope: ScimScope, row: ScimUserRow, uid: string): ScimUserRow {
  if (uid === row.extern_uid) return row
  checkUid(uid)
  const existingIdentity = store.byUid(ctx.db, scope.group_id, uid)
  if (existingIdentity && existingIdentity.id !== row.id)
    throw fail('conflict', 'Extern uid has already been taken')
  return tx(ctx.db, () => {
    store.update(ctx.db, row.id, { extern_uid: uid, updated_at: ctx.now })
    publishChange(ctx, scope, { ...row, extern_uid: uid }, 'updated')
    return store.byUid(ctx.db, scope.group_id, uid)!
  })
}

function setActive(ctx: Ctx, scope: ScimScope, row: ScimUserRow, active: boolean): ScimUserRow {
  if (isActive(row) === active) return row
  if (active) grantAccess(ctx, scope, row.user_id)
  else revokeAccess(ctx, scope, row)
  store.update(ctx.db, row.id, { active, updated_at: ctx.now })
  publishChange(ctx, scope, row, active ? 'reactivated' : 'deactivated')
  return store.byUid(ctx.db, scope.group_id, row.extern_uid)!
}

/**
 * Deprovisions a user. In a group, the membership and the identity are deleted; in the instance, the account is
 * blocked and the identity stays (spec administration 8.3). Throws 404 for an unknown user, 412 for the last owner or
 * administrator.
 */
export function deprovision(ctx: Ctx, scope: ScimScope, uid: string): void {
  tx(ctx.db, () => {
    const row = findUser(ctx, scope, uid)
    if (!scope.group) return void setActive(ctx, scope, row, false)
    if (isActive(row)) revokeAccess(ctx, scope, row)
    store.remove(ctx.db, row.id)
    publishChange(ctx, scope, row, 'removed')
  })
}

/** Deletes the identity of a user. Account and membership stay. */
export function deleteIdentity(ctx: Ctx, scope: ScimScope, row: ScimUserRow): void {
  tx(ctx.db, () => {
    store.remove(ctx.db, row.id)
    publishChange(ctx, scope, row, 'removed')
  })
}

/** Adds a user to the group with the default role, or unblocks the account. Runs in the caller's transaction. */
function grantAccess(ctx: Ctx, scope: ScimScope, userId: number): void {
  const { group } = scope
  if (!group) {
    const user = userOf(ctx, userId)
    if (user.state === 'blocked') changeState(ctx, user, 'active')
    return
  }
  if (!store.isMember(ctx.db, group.id, userId, isoDate(ctx.now)))
    insertMember(ctx, groupSource(group), userId, { access_level: GUEST, created_by_id: null })
}

/**
 * Removes the user from the group with its subgroups and projects, or blocks the account. Throws 412 for the last
 * owner and the last administrator. Runs in the caller's transaction.
 */
function revokeAccess(ctx: Ctx, scope: ScimScope, row: ScimUserRow): void {
  if (scope.group) return leaveGroup(ctx, scope.group, row)
  const user = userOf(ctx, row.user_id)
  if (isLastAdmin(ctx.db, user) || user.kind !== 'human')
    throw fail('precondition_failed', `Could not block ${user.name}.`)
  if (!UNUSABLE_STATES.has(user.state)) changeState(ctx, user, 'blocked')
}

function leaveGroup(ctx: Ctx, group: Group, { user_id, name }: ScimUserRow): void {
  if (!store.isMember(ctx.db, group.id, user_id, isoDate(ctx.now))) return
  const managed = { source: groupSource(group), level: Infinity }
  try {
    removeMember(ctx, managed, user_id, {
      keepsDescendants: false,
      unassignsIssuables: false,
      check: () => undefined,
    })
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'forbidden') throw error
    const sentence = `Could not remove ${name} from ${group.name}. Cannot remove last group owner.`
    throw fail('precondition_failed', sentence)
  }
}

/** Returns true if the provider may change the names of a user. A group may rename only accounts that it created. */
function mayRename(scope: ScimScope, user: UserRow): boolean {
  if (scope.group_id === null) return true
  return user.provisioned_by_group_id === scope.group_id && !user.is_admin
}

/**
 * Returns true if the provider may change the email address of a user. The holder of a new address could reset the
 * password. So a group may change the address only of accounts that it created and that own nothing outside of it. No
 * provider may change the address of an administrator.
 */
function mayChangeEmail(ctx: Ctx, scope: ScimScope, user: UserRow): boolean {
  if (user.is_admin || !mayRename(scope, user)) return false
  return scope.group_id === null || isOnlyIn(ctx.db, scope.group_id, user.id)
}

/**
 * Updates the name, the user name and the email address, as far as the scope may change them. Returns true if the
 * user changed. Throws 409 for a user name or email address that is taken, 412 for an invalid one. Runs in the
 * caller's transaction.
 */
function changeUser(ctx: Ctx, scope: ScimScope, userId: number, incoming: IncomingUser): boolean {
  const before = userOf(ctx, userId)
  let user = before
  const names = mayRename(scope, user) ? namesToChange(ctx, user, incoming) : {}
  if (Object.keys(names).length > 0) user = changeProfile(ctx, user, names)
  const { email } = incoming
  if (
    email !== undefined &&
    email.toLowerCase() !== user.email.toLowerCase() &&
    mayChangeEmail(ctx, scope, user)
  ) {
    asPrecondition(() => checkIdentity({ email }))
    checkFree(ctx, { email }, userId)
    user = changeEmail(ctx, user, email, true)
  }
  return user !== before
}

function namesToChange(ctx: Ctx, user: UserRow, { name, userName }: IncomingUser) {
  const changes: { name?: string; username?: string } = {}
  if (name !== undefined && name !== user.name) changes.name = name
  if (userName !== undefined && !hasExternalName(user.username, userName))
    changes.username = cleanUsername(userName)
  asPrecondition(() => checkIdentity(changes))
  const { username } = changes
  if (
    username !== undefined &&
    username.toLowerCase() !== user.username.toLowerCase() &&
    !isNameUnused(ctx.db, username)
  )
    throw fail('conflict', 'Username has already been taken')
  return changes
}

/** Runs a function and throws its 400 and 403 errors as 412 (spec administration 8.2). */
function asPrecondition<Result>(work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    if (error instanceof Failure && (error.kind === 'bad_request' || error.kind === 'forbidden'))
      throw fail('precondition_failed', error.detail)
    throw error
  }
}

/**
 * Returns a user name for an external one: the part before an `@`, without characters that a path must not contain.
 */
function cleanUsername(text: string): string {
  const name = text
    .replace(/@.*$/s, '')
    .normalize('NFKD')
    .replace(/[^a-zA-Z0-9_.-]/g, '')
    .replace(/^[-.]+/, '')
    .replace(/(\.atom|\.git|\.)+$/i, '')
    .slice(0, 200)
  return name === '' ? 'user' : name
}

/** Returns an unused user name for an external one, with a number if necessary (spec administration 8.2). */
function unusedUsername(db: Database, text: string): string {
  const name = cleanUsername(text)
  const isFree = (entry: string): boolean => isValidPath(entry, 'top') && isNameUnused(db, entry)
  if (isFree(name)) return name
  let number = 1
  while (!isFree(`${name}${number}`)) number++
  return `${name}${number}`
}

/** Returns true if a user name was derived from an external one, possibly with a number. */
function hasExternalName(username: string, name: string): boolean {
  const [current, derived] = [username.toLowerCase(), cleanUsername(name).toLowerCase()]
  return current.startsWith(derived) && /^\d*$/.test(current.slice(derived.length))
}
