import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import { publish } from '../../events/publish.ts'
import { isoDate } from '../../lib/clock.ts'
import { fail, invalid } from '../../lib/fail.ts'
import { OWNER } from '../../policy/levels.ts'
import { userById, userByUsername, type UserRow } from '../users/index.ts'
import { MemberAdded, MemberRemoved, MemberUpdated, ShareExpired } from './events.ts'
import type { MemberView } from './store-list.ts'
import * as lists from './store-list.ts'
import type { MemberSource } from './types.ts'
import * as store from './store.ts'
import {
  checkLock,
  checkTerms,
  sourceIds,
  sentenceOf,
  type Managed,
  type NewTerms,
  type Terms,
} from './validation.ts'

/**
 * Finds a member by user ID; with `all` also an inherited one. Throws 404 with the contract's small f (spec core 8.3).
 */
export function getMember(ctx: Ctx, source: MemberSource, userId: number, all: boolean): MemberView {
  const member = lists.one(ctx.db, source, { user_id: userId, all, today: isoDate(ctx.now) })
  if (!member) throw fail('not_found', '404 Not found')
  return member
}

/**
 * Makes a user a member without checks: for owners of a new project or group, and for callers that have checked. Ends
 * an access request of the user. Call it in a transaction.
 */
export function insertMember(ctx: Ctx, source: MemberSource, userId: number, terms: NewTerms): void {
  const expires_at = terms.expires_at ?? null
  store.insert(ctx.db, source, {
    user_id: userId,
    access_level: terms.access_level,
    expires_at,
    created_by_id: terms.created_by_id === undefined ? ctx.actor.id : terms.created_by_id,
    created_at: ctx.now,
  })
  store.endRequest(ctx.db, source, userId)
  publish(ctx, MemberAdded, {
    ...sourceIds(source),
    user_id: userId,
    access_level: terms.access_level,
    expires_at,
    actor_id: ctx.actor.id,
  })
}

/**
 * Adds one user. Throws 404 for an unknown user, 409 for a member, 405 if a group locks its memberships, 403 above the
 * caller's own level, 400 for an invalid level or expiry.
 */
export function addMember(
  ctx: Ctx,
  managed: Managed,
  who: { user_id?: number; username?: string | undefined },
  terms: Terms,
): MemberView {
  return tx(ctx.db, () => {
    checkLock(ctx, managed)
    const user =
      who.user_id === undefined ? userByUsername(ctx.db, who.username ?? '') : userById(ctx.db, who.user_id)
    if (!user) throw fail('not_found', '404 User Not Found')
    addUser(ctx, managed, user, terms)
    return getMember(ctx, managed.source, user.id, false)
  })
}

/** Adds a loaded user. Throws as `addMember` does. Call it in a transaction. */
export function addUser(ctx: Ctx, managed: Managed, user: UserRow, terms: Terms): void {
  checkTerms(ctx, managed, user.id, terms)
  if (lists.one(ctx.db, managed.source, { user_id: user.id, all: false, today: isoDate(ctx.now) })) {
    throw fail('conflict', 'Member already exists')
  }
  if (user.kind !== 'human')
    throw invalid({ user: 'project bots cannot be added to other groups / projects' })
  insertMember(ctx, managed.source, user.id, terms)
}

/** Adds several users and returns errors by user name. A level above the caller's own is an error for all of them. */
export function addMembers(
  ctx: Ctx,
  managed: Managed,
  userIds: readonly number[],
  terms: Terms,
): Record<string, string> {
  if (terms.access_level > managed.level) throw fail('forbidden')
  const problems: Record<string, string> = {}
  return tx(ctx.db, () => {
    checkLock(ctx, managed)
    for (const id of new Set(userIds)) {
      const user = userById(ctx.db, id)
      const problem = user ? problemOf(() => addUser(ctx, managed, user, terms)) : 'User not found'
      if (problem) problems[user?.username ?? String(id)] = problem
    }
    return problems
  })
}

function problemOf(work: () => void): string | undefined {
  try {
    work()
    return undefined
  } catch (error) {
    return sentenceOf(error)
  }
}

/** Protects the owner of a personal namespace, the last owner of a group, and members with a higher level than the actor. */
export function checkMayLose(ctx: Ctx, { source, level }: Managed, member: MemberView): void {
  if (member.access_level > level || member.id === source.owner_id) throw fail('forbidden')
  if (source.title !== 'group' || member.access_level !== OWNER) return
  const owners = store.ownerIds(ctx.db, source, isoDate(ctx.now))
  if (owners.length === 1 && owners[0] === member.id) throw fail('forbidden')
}

/** Changes the level and expiry of a direct membership. Throws 404, and 403 and 400 as `addMember` does. */
export function changeMember(ctx: Ctx, managed: Managed, userId: number, terms: Terms): MemberView {
  return tx(ctx.db, () => {
    const { source } = managed
    const member = getMember(ctx, source, userId, false)
    if (terms.access_level !== member.access_level || terms.expires_at) checkMayLose(ctx, managed, member)
    checkTerms(ctx, managed, userId, terms)
    store.update(ctx.db, member.member_id, terms)
    const changed = getMember(ctx, source, userId, false)
    publish(ctx, MemberUpdated, {
      ...sourceIds(source),
      user_id: userId,
      access_level: changed.access_level,
      old_access_level: member.access_level,
      expires_at: changed.expires_at,
      actor_id: ctx.actor.id,
    })
    return changed
  })
}

/** Makes the actor an owner of a group without owners. Call it in a transaction. */
export function ensureOwner(ctx: Ctx, source: MemberSource): void {
  const today = isoDate(ctx.now)
  if (ctx.actor.kind !== 'user' || store.ownerIds(ctx.db, source, today).length > 0) return
  const member = lists.one(ctx.db, source, { user_id: ctx.actor.id, all: false, today })
  if (member)
    changeMember(ctx, { source, level: Infinity }, member.id, { access_level: OWNER, expires_at: null })
  else insertMember(ctx, source, ctx.actor.id, { access_level: OWNER })
}

/** Marks a level as an override of LDAP, or ends the override. Throws 404. */
export function setOverride(ctx: Ctx, source: MemberSource, userId: number, override: boolean): MemberView {
  return tx(ctx.db, () => {
    store.setOverride(ctx.db, getMember(ctx, source, userId, false).member_id, override)
    return getMember(ctx, source, userId, false)
  })
}

/** Options for ending a membership. */
export interface RemovalOptions {
  /** Keep the memberships of subgroups and projects. */
  readonly keepBelow: boolean
  readonly unassign: boolean
  /** Throws when the caller may not remove the member. */
  readonly check: (member: MemberView) => void
}
type Cause = 'removed' | 'left' | 'expired'

/** Ends a direct membership; for a group also those of its subgroups and projects, unless they are kept. */
export function removeMember(ctx: Ctx, managed: Managed, userId: number, leaving: RemovalOptions): void {
  tx(ctx.db, () => {
    const { source } = managed
    const member = getMember(ctx, source, userId, false)
    leaving.check(member)
    checkMayLose(ctx, managed, member)
    const cause = ctx.actor.id === userId ? 'left' : 'removed'
    const below =
      source.title === 'group' && !leaving.keepBelow ? store.belowGroup(ctx.db, source.id, userId) : []
    for (const row of [...below, store.byId(ctx.db, member.member_id)!]) {
      endMembership(ctx, row, cause, leaving.unassign)
    }
  })
}

function endMembership(ctx: Ctx, row: store.MemberRow, cause: Cause, unassign: boolean): void {
  store.remove(ctx.db, row.id)
  publish(ctx, MemberRemoved, {
    ...(row.project_id === null ? { group_id: row.namespace_id! } : { project_id: row.project_id }),
    user_id: row.user_id,
    access_level: row.access_level,
    expires_at: row.expires_at,
    created_at: row.created_at,
    actor_id: ctx.actor.id,
    cause,
    unassign_issuables: unassign,
  })
}

/**
 * Deletes expired memberships, shares and invitations, and publishes the events. They have no effect after their day,
 * even before this runs.
 */
export function removeExpired(ctx: Ctx): void {
  const today = isoDate(ctx.now)
  tx(ctx.db, () => {
    for (const row of store.expired(ctx.db, today)) endMembership(ctx, row, 'expired', false)
    for (const link of store.deleteExpiredShares(ctx.db, today)) {
      publish(ctx, ShareExpired, { group_id: link.shared_group_id, invited_group_id: link.group_id })
    }
    store.removeExpiredInvitations(ctx.db, today)
  })
}
