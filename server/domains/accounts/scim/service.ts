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
import type { Incoming } from './protocol/incoming.ts'
import * as store from './store.ts'
import { isNameFree, isOnlyIn, type ScimUserRow } from './store.ts'

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

/** The user with this external UID. Throws 404 `Resource … not found`. */
export function findUser(ctx: Ctx, scope: ScimScope, uid: string): ScimUserRow {
  const row = store.byUid(ctx.db, scope.group_id, uid)
  if (!row) throw fail('not_found', `Resource ${uid} not found`)
  return row
}

/** Checks the required fields of a new user. */
function complete(incoming: Incoming) {
  const { externalId, userName, name, email } = incoming
  if (externalId !== undefined && userName !== undefined && name !== undefined && email !== undefined)
    return { externalId, userName, name, email, active: incoming.active ?? true }
  const wanted = { externalId, userName, name, emails: email }
  const missing = Object.entries(wanted).filter(([, value]) => value === undefined)
  throw fail('precondition_failed', `Missing params: [${missing.map(([name]) => name).join(', ')}]`)
}

type NewUser = ReturnType<typeof complete>

/**
 * Provisions a user: the one that the identity provider provisioned before, the one with this confirmed address, or a
 * new one (spec administration 8.2). Throws 412 for missing and invalid fields, 409 for an address that is taken.
 */
export async function provision(ctx: Ctx, scope: ScimScope, incoming: Incoming): Promise<ScimUserRow> {
  const fields = complete(incoming)
  checkUid(fields.externalId)
  asPrecondition(() => checkIdentity({ email: fields.email, name: fields.name }))
  const isNew =
    !store.byUid(ctx.db, scope.group_id, fields.externalId) && !store.ownerOfEmail(ctx.db, fields.email)
  // Hashing takes a while; the transaction notices a user who was created in the meantime.
  const password_hash = isNew ? await unknownPasswordHash(ctx) : null
  return tx(ctx.db, () => {
    const existing = store.byUid(ctx.db, scope.group_id, fields.externalId)
    if (existing) return again(ctx, scope, existing, fields.active)
    const user_id = ownerOf(ctx, fields.email) ?? newUser(ctx, scope, fields, password_hash)
    return attach(ctx, scope, user_id, fields)
  })
}

function checkUid(uid: string): void {
  if (uid.length > MAX_UID)
    throw fail('precondition_failed', `id is too long (maximum is ${MAX_UID} characters)`)
}

/** Reactivates a user who was provisioned before. */
function again(ctx: Ctx, scope: ScimScope, row: ScimUserRow, active: boolean): ScimUserRow {
  if (!active) return row
  grantAccess(ctx, scope, row.user_id)
  return setActive(ctx, scope, row, true)
}

/** The user with this confirmed address. Throws 409 for an address that is not confirmed. */
function ownerOf(ctx: Ctx, email: string): number | undefined {
  const owner = store.ownerOfEmail(ctx.db, email)
  if (owner && (owner.is_confirmed === 0 || owner.kind !== 'human'))
    throw fail('conflict', 'Email has already been taken')
  return owner?.id
}

function newUser(ctx: Ctx, scope: ScimScope, fields: NewUser, password_hash: string | null): number {
  const { name, email } = fields
  const columns = { confirmed_at: ctx.now, provisioned_by_group_id: scope.group_id }
  const username = freeUsername(ctx.db, fields.userName)
  return asPrecondition(() => createAccount(ctx, { username, name, email, password_hash, columns })).id
}

function attach(ctx: Ctx, scope: ScimScope, user_id: number, fields: NewUser): ScimUserRow {
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

/** Applies changed data of a user. Throws 409 for an external UID, name or address that is taken, 412 as above. */
export function changeFrom(ctx: Ctx, scope: ScimScope, uid: string, incoming: Incoming): ScimUserRow {
  return tx(ctx.db, () => {
    const before = findUser(ctx, scope, uid)
    const renamed =
      incoming.externalId === undefined ? before : setUid(ctx, scope, before, incoming.externalId)
    if (changeUser(ctx, scope, before.user_id, incoming)) {
      store.update(ctx.db, before.id, { updated_at: ctx.now })
      publishChange(ctx, scope, renamed, 'updated')
    }
    const row = store.byUser(ctx.db, scope.group_id, before.user_id)!
    return incoming.active === undefined ? row : setActive(ctx, scope, row, incoming.active)
  })
}

/** Changes the external UID of an identity. Throws 409 for one that is taken. */
export function setUid(ctx: Ctx, scope: ScimScope, row: ScimUserRow, uid: string): ScimUserRow {
  if (uid === row.extern_uid) return row
  checkUid(uid)
  const other = store.byUid(ctx.db, scope.group_id, uid)
  if (other && other.id !== row.id) throw fail('conflict', 'Extern uid has already been taken')
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
  store.update(ctx.db, row.id, { active: active, updated_at: ctx.now })
  publishChange(ctx, scope, row, active ? 'reactivated' : 'deactivated')
  return store.byUid(ctx.db, scope.group_id, row.extern_uid)!
}

/**
 * Removes a user: from the group, with the identity; in the instance the account is blocked and the identity stays
 * (spec administration 8.3). Throws 404, and 412 for the last owner or administrator.
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

/** Deletes the identity of a user; account and membership stay. */
export function forget(ctx: Ctx, scope: ScimScope, row: ScimUserRow): void {
  tx(ctx.db, () => {
    store.remove(ctx.db, row.id)
    publishChange(ctx, scope, row, 'removed')
  })
}

/** Adds a user to the group with the default role, or unblocks the account. Runs inside the caller's transaction. */
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
 * Removes the user from the group and everything below it, or blocks the account. Throws 412 for the last owner and the
 * last administrator. Runs inside the caller's transaction.
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
    removeMember(ctx, managed, user_id, { keepBelow: false, unassign: false, check: () => undefined })
  } catch (error) {
    if (!(error instanceof Failure) || error.kind !== 'forbidden') throw error
    const sentence = `Could not remove ${name} from ${group.name}. Cannot remove last group owner.`
    throw fail('precondition_failed', sentence)
  }
}

/** A scope may rename the accounts that it created. Accounts that existed before keep their names. */
function mayRename(scope: ScimScope, user: UserRow): boolean {
  if (scope.group_id === null) return true
  return user.provisioned_by_group_id === scope.group_id && !user.is_admin
}

/**
 * A client that sets an address can reset the password with it. So a group may change an address only for accounts that
 * it created and that have nothing outside of it; no identity provider changes it for administrators.
 */
function mayReaddress(ctx: Ctx, scope: ScimScope, user: UserRow): boolean {
  if (user.is_admin || !mayRename(scope, user)) return false
  return scope.group_id === null || isOnlyIn(ctx.db, scope.group_id, user.id)
}

/**
 * Updates name, user name and address; what the scope may not change stays. True when something changed. Throws 409 for
 * a user name or address that is taken, 412 for an invalid one. Runs inside the transaction.
 */
function changeUser(ctx: Ctx, scope: ScimScope, userId: number, incoming: Incoming): boolean {
  const before = userOf(ctx, userId)
  let user = before
  const names = mayRename(scope, user) ? namesToChange(ctx, user, incoming) : {}
  if (Object.keys(names).length > 0) user = changeProfile(ctx, user, names)
  const { email } = incoming
  if (
    email !== undefined &&
    email.toLowerCase() !== user.email.toLowerCase() &&
    mayReaddress(ctx, scope, user)
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

/** Runs a change and turns its errors into 412 (spec administration 8.2). */
function asPrecondition<Result>(work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    if (error instanceof Failure && (error.kind === 'bad_request' || error.kind === 'forbidden'))
      throw fail('precondition_failed', error.detail)
    throw error
  }
}

/** A user name from the external one: the part before an `@`, in letters that a path may have. */
function cleanUsername(text: string): string {
  const plain = text
    .replace(/@.*$/s, '')
    .normalize('NFKD')
    .replace(/[^a-zA-Z0-9_.-]/g, '')
    .replace(/^[-.]+/, '')
    .replace(/(\.atom|\.git|\.)+$/i, '')
    .slice(0, 200)
  return plain === '' ? 'user' : plain
}

/** The name itself, or with the first free number after it (spec administration 8.2). */
function freeUsername(db: Database, text: string): string {
  const name = cleanUsername(text)
  const isFree = (entry: string): boolean => isValidPath(entry, 'top') && isNameFree(db, entry)
  if (isFree(name)) return name
  let number = 1
  while (!isFree(`${name}${number}`)) number++
  return `${name}${number}`
}

/** Whether a user has this name already, perhaps with a number after it. */
function isCalled(username: string, name: string): boolean {
  const [is, wanted] = [username.toLowerCase(), cleanUsername(name).toLowerCase()]
  return is.startsWith(wanted) && /^\d*$/.test(is.slice(wanted.length))
}
