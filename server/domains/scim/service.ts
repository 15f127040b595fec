import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import { publish } from '../../events/publish.ts'
import { isoDate } from '../../lib/clock.ts'
import { Failure, fail } from '../../lib/fail.ts'
import { GUEST } from '../../policy/levels.ts'
import { changeEmail, changeProfile, changeState } from '../accounts/index.ts'
import { createAccount } from '../auth/index.ts'
import type { Group } from '../groups/index.ts'
import { groupSource, insertMember, removeMember } from '../members/index.ts'
import {
  checkFree,
  checkIdentity,
  isLastAdmin,
  unknownPasswordHash,
  userOf,
  type UserRow,
} from '../users/index.ts'
import { SHUT, isActive } from './active.ts'
import { ScimIdentityChanged } from './events.ts'
import { cleanUsername, freeUsername, isCalled } from './names.ts'
import type { ScimScope } from './scope.ts'
import type { Incoming } from './protocol/incoming.ts'
import * as store from './store.ts'
import { isNameFree, isOnlyIn, type ScimUserRow } from './store.ts'

const MAX_UID = 255

type Action = 'provisioned' | 'updated' | 'deactivated' | 'reactivated' | 'removed'

function tell(
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

/** The user whom the identity provider calls so. Throws 404 `Resource … not found`. */
export function findUser(ctx: Ctx, scope: ScimScope, uid: string): ScimUserRow {
  const row = store.byUid(ctx.db, scope.group_id, uid)
  if (!row) throw fail('not_found', `Resource ${uid} not found`)
  return row
}

/** What a new user cannot be without. */
function complete(given: Incoming) {
  const { externalId, userName, name, email } = given
  if (externalId !== undefined && userName !== undefined && name !== undefined && email !== undefined)
    return { externalId, userName, name, email, active: given.active ?? true }
  const wanted = { externalId, userName, name, emails: email }
  const missing = Object.entries(wanted).filter(([, value]) => value === undefined)
  throw fail('precondition_failed', `Missing params: [${missing.map(([name]) => name).join(', ')}]`)
}

type NewUser = ReturnType<typeof complete>

/**
 * Brings in a user: whom the identity provider brought before, whose confirmed address it is, or somebody new (spec
 * administration 8.2). Throws 412 for what is missing or cannot stand, 409 for an address of somebody else.
 */
export async function provision(ctx: Ctx, scope: ScimScope, incoming: Incoming): Promise<ScimUserRow> {
  const given = complete(incoming)
  checkUid(given.externalId)
  asPrecondition(() => checkIdentity({ email: given.email, name: given.name }))
  const isNew =
    !store.byUid(ctx.db, scope.group_id, given.externalId) && !store.ownerOfEmail(ctx.db, given.email)
  // Hashing takes a while; whoever came meanwhile is met in the transaction.
  const password_hash = isNew ? await unknownPasswordHash(ctx) : null
  return tx(ctx.db, () => {
    const known = store.byUid(ctx.db, scope.group_id, given.externalId)
    if (known) return again(ctx, scope, known, given.active)
    const user_id = ownerOf(ctx, given.email) ?? newUser(ctx, scope, given, password_hash)
    return attach(ctx, scope, user_id, given)
  })
}

function checkUid(uid: string): void {
  if (uid.length > MAX_UID)
    throw fail('precondition_failed', `id is too long (maximum is ${MAX_UID} characters)`)
}

/** Somebody who was brought before: the same, let in again. */
function again(ctx: Ctx, scope: ScimScope, row: ScimUserRow, active: boolean): ScimUserRow {
  if (!active) return row
  letIn(ctx, scope, row.user_id)
  return setActive(ctx, scope, row, true)
}

/** The person of a confirmed address. Throws 409 where nobody has shown that the address is theirs. */
function ownerOf(ctx: Ctx, email: string): number | undefined {
  const owner = store.ownerOfEmail(ctx.db, email)
  if (owner && (owner.is_confirmed === 0 || owner.kind !== 'human'))
    throw fail('conflict', 'Email has already been taken')
  return owner?.id
}

function newUser(ctx: Ctx, scope: ScimScope, given: NewUser, password_hash: string | null): number {
  const { name, email } = given
  const columns = { confirmed_at: ctx.now, provisioned_by_group_id: scope.group_id }
  const username = freeUsername(ctx.db, given.userName)
  return asPrecondition(() => createAccount(ctx, { username, name, email, password_hash, columns })).id
}

function attach(ctx: Ctx, scope: ScimScope, user_id: number, given: NewUser): ScimUserRow {
  if (store.byUser(ctx.db, scope.group_id, user_id))
    throw fail('conflict', 'The user is known by another id already')
  store.insert(ctx.db, {
    group_id: scope.group_id,
    user_id,
    extern_uid: given.externalId,
    active: given.active,
    created_at: ctx.now,
    updated_at: ctx.now,
  })
  const row = store.byUser(ctx.db, scope.group_id, user_id)!
  if (given.active) letIn(ctx, scope, user_id)
  else shutOut(ctx, scope, row)
  tell(ctx, scope, row, 'provisioned')
  return store.byUser(ctx.db, scope.group_id, user_id)!
}

/** Changes what the identity provider says of a user. Throws 409 for an id, name or address of somebody else, 412 as above. */
export function changeFrom(ctx: Ctx, scope: ScimScope, uid: string, given: Incoming): ScimUserRow {
  return tx(ctx.db, () => {
    const before = findUser(ctx, scope, uid)
    const renamed = given.externalId === undefined ? before : setUid(ctx, scope, before, given.externalId)
    if (changeUser(ctx, scope, before.user_id, given)) {
      store.update(ctx.db, before.id, { updated_at: ctx.now })
      tell(ctx, scope, renamed, 'updated')
    }
    const row = store.byUser(ctx.db, scope.group_id, before.user_id)!
    return given.active === undefined ? row : setActive(ctx, scope, row, given.active)
  })
}

/** Gives an identity another id. Throws 409 for one that is taken. */
export function setUid(ctx: Ctx, scope: ScimScope, row: ScimUserRow, uid: string): ScimUserRow {
  if (uid === row.extern_uid) return row
  checkUid(uid)
  const other = store.byUid(ctx.db, scope.group_id, uid)
  if (other && other.id !== row.id) throw fail('conflict', 'Extern uid has already been taken')
  return tx(ctx.db, () => {
    store.update(ctx.db, row.id, { extern_uid: uid, updated_at: ctx.now })
    tell(ctx, scope, { ...row, extern_uid: uid }, 'updated')
    return store.byUid(ctx.db, scope.group_id, uid)!
  })
}

function setActive(ctx: Ctx, scope: ScimScope, row: ScimUserRow, active: boolean): ScimUserRow {
  if (isActive(row) === active) return row
  if (active) letIn(ctx, scope, row.user_id)
  else shutOut(ctx, scope, row)
  store.update(ctx.db, row.id, { active: active, updated_at: ctx.now })
  tell(ctx, scope, row, active ? 'reactivated' : 'deactivated')
  return store.byUid(ctx.db, scope.group_id, row.extern_uid)!
}

/**
 * Takes a user out: of the group, with the identity; in the instance the account is blocked and the identity stays (spec
 * administration 8.3). Throws 404, and 412 for the last owner or administrator.
 */
export function deprovision(ctx: Ctx, scope: ScimScope, uid: string): void {
  tx(ctx.db, () => {
    const row = findUser(ctx, scope, uid)
    if (!scope.group) return void setActive(ctx, scope, row, false)
    if (isActive(row)) shutOut(ctx, scope, row)
    store.remove(ctx.db, row.id)
    tell(ctx, scope, row, 'removed')
  })
}

/** Forgets what a user is called by the identity provider; account and membership stay. */
export function forget(ctx: Ctx, scope: ScimScope, row: ScimUserRow): void {
  tx(ctx.db, () => {
    store.remove(ctx.db, row.id)
    tell(ctx, scope, row, 'removed')
  })
}

/** Gives a user the group's least role, or their account back. Inside the caller's transaction. */
function letIn(ctx: Ctx, scope: ScimScope, userId: number): void {
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
 * Takes the membership of the group and of what is below it, or blocks the account. Throws 412 for the last owner and the
 * last administrator. Inside the caller's transaction.
 */
function shutOut(ctx: Ctx, scope: ScimScope, row: ScimUserRow): void {
  if (scope.group) return leaveGroup(ctx, scope.group, row)
  const user = userOf(ctx, row.user_id)
  if (isLastAdmin(ctx.db, user) || user.kind !== 'human')
    throw fail('precondition_failed', `Could not block ${user.name}.`)
  if (!SHUT.has(user.state)) changeState(ctx, user, 'blocked')
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

/** Names may change where the place made the account; those of people who were there before are theirs. */
function mayRename(scope: ScimScope, user: UserRow): boolean {
  if (scope.group_id === null) return true
  return user.provisioned_by_group_id === scope.group_id && !user.is_admin
}

/**
 * Who sets an address can set the password by it. So a group sets those of accounts that it made and that have nothing
 * outside of it; those of administrators are set by no identity provider.
 */
function mayReaddress(ctx: Ctx, scope: ScimScope, user: UserRow): boolean {
  if (user.is_admin || !mayRename(scope, user)) return false
  return scope.group_id === null || isOnlyIn(ctx.db, scope.group_id, user.id)
}

/**
 * Brings name, user name and address to what the identity provider says; what it may not change stays. True when something
 * did. Throws 409 for a user name or address of somebody else, 412 for what cannot stand. Inside the transaction.
 */
function changeUser(ctx: Ctx, scope: ScimScope, userId: number, given: Incoming): boolean {
  const before = userOf(ctx, userId)
  let user = before
  const names = mayRename(scope, user) ? namesToChange(ctx, user, given) : {}
  if (Object.keys(names).length > 0) user = changeProfile(ctx, user, names)
  const { email } = given
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

/** Does something whose refusals are 412 here, for what was sent does not fit (spec administration 8.2). */
function asPrecondition<Result>(work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    if (error instanceof Failure && (error.kind === 'bad_request' || error.kind === 'forbidden'))
      throw fail('precondition_failed', error.detail)
    throw error
  }
}
