import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import { publish } from '../../events/publish.ts'
import { isoDate } from '../../lib/clock.ts'
import { fail, invalid } from '../../lib/fail.ts'
import { OWNER } from '../../policy/levels.ts'
import { userById, userByUsername, type UserRow } from '../users/index.ts'
import { MemberAdded, MemberRemoved, MemberUpdated, ShareExpired } from './events.ts'
import type { MemberView, ShownMember } from './store-list.ts'
import { roleOnNamespace } from './store-roles.ts'
import * as lists from './store-list.ts'
import type { MemberSource } from './types.ts'
import * as store from './store.ts'
import {
  checkLock,
  checkTerms,
  sourceIds,
  sentenceOf,
  type ManagedSource,
  type NewMembershipTerms,
  type MembershipTerms,
} from './validation.ts'

/**
 * Whether the actor sees the email address of a member (spec core 1.4). A group owns the users that its identity provider
 * created, and its owners see their addresses. Only top-level groups have identity providers.
 */
export function seesEmail(ctx: Ctx, { provisioned_by_group_id: id }: MemberView): boolean {
  if (id === null) return false
  return ctx.actor.is_admin || roleOnNamespace(ctx, { id, lineage: `[${id}]`, owner_id: null }) >= OWNER
}

/**
 * Returns a member by user id; with `all` also an inherited one. Throws 404 with the contract's lowercase f (spec
 * core 8.3).
 */
export function getMember(ctx: Ctx, source: MemberSource, userId: number, all: boolean): ShownMember {
  const member = lists.memberByUser(ctx.db, source, { user_id: userId, all, today: isoDate(ctx.now) })
  if (!member) throw fail('not_found', '404 Not found')
  return { ...member, showsEmail: seesEmail(ctx, member) }
}

/**
 * Makes a user a member without any check, for owners of a new project or group and for callers that have checked.
 * Deletes an access request of the user. Runs in the caller's transaction.
 */
export function insertMember(
  ctx: Ctx,
  source: MemberSource,
  userId: number,
  terms: NewMembershipTerms,
): void {
  const expires_at = terms.expires_at ?? null
  store.insert(ctx.db, source, {
    user_id: userId,
    access_level: terms.access_level,
    expires_at,
    created_by_id: terms.created_by_id === undefined ? ctx.actor.id : terms.created_by_id,
    created_at: ctx.now,
  })
  store.deleteRequest(ctx.db, source, userId)
  publish(ctx, MemberAdded, {
    ...sourceIds(source),
    user_id: userId,
    access_level: terms.access_level,
    expires_at,
    actor_id: ctx.actor.id,
  })
}

/**
 * Adds a member. Throws 404 for an unknown user, 409 for an existing member, 405 if a group locks its memberships,
 * 403 for a level above the caller's own, 400 for an invalid level or expiry.
 */
export function addMember(
  ctx: Ctx,
  managed: ManagedSource,
  { user_id, username }: { user_id?: number; username?: string | undefined },
  terms: MembershipTerms,
): MemberView {
  return tx(ctx.db, () => {
    checkLock(ctx, managed)
    const user = user_id === undefined ? userByUsername(ctx.db, username ?? '') : userById(ctx.db, user_id)
    if (!user) throw fail('not_found', '404 User Not Found')
    addUser(ctx, managed, user, terms)
    return getMember(ctx, managed.source, user.id, false)
  })
}

/** Adds a user as a member. Throws the errors of `addMember`. Runs in the caller's transaction. */
export function addUser(ctx: Ctx, managed: ManagedSource, user: UserRow, terms: MembershipTerms): void {
  checkTerms(ctx, managed, user.id, terms)
  if (lists.memberByUser(ctx.db, managed.source, { user_id: user.id, all: false, today: isoDate(ctx.now) })) {
    throw fail('conflict', 'Member already exists')
  }
  if (user.kind !== 'human')
    throw invalid({ user: 'project bots cannot be added to other groups / projects' })
  insertMember(ctx, managed.source, user.id, terms)
}

/** Adds several members. Returns the errors by user name. Throws 403 for a level above the caller's own. */
export function addMembers(
  ctx: Ctx,
  managed: ManagedSource,
  userIds: readonly number[],
  terms: MembershipTerms,
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

/**
 * Throws 403 for the owner of a personal namespace, the last owner of a group, and members with a higher level than
 * the actor.
 */
export function checkRemovable(ctx: Ctx, { source, level }: ManagedSource, member: MemberView): void {
  if (member.access_level > level || member.id === source.owner_id) throw fail('forbidden')
  if (source.title !== 'group' || member.access_level !== OWNER) return
  const owners = store.ownerIds(ctx.db, source, isoDate(ctx.now))
  if (owners.length === 1 && owners[0] === member.id) throw fail('forbidden')
}

/**
 * Changes the level and expiry of a direct membership. Throws 404 for an unknown member, 403 for a level above the
 * caller's own, 400 for an invalid level or expiry.
 */
export function changeMember(
  ctx: Ctx,
  managed: ManagedSource,
  userId: number,
  terms: MembershipTerms,
): MemberView {
  return tx(ctx.db, () => {
    const { source } = managed
    const member = getMember(ctx, source, userId, false)
    if (terms.access_level !== member.access_level || terms.expires_at) checkRemovable(ctx, managed, member)
    checkTerms(ctx, managed, userId, terms)
    store.update(ctx.db, member.member_id, terms)
    const changedMember = getMember(ctx, source, userId, false)
    publish(ctx, MemberUpdated, {
      ...sourceIds(source),
      user_id: userId,
      access_level: changedMember.access_level,
      old_access_level: member.access_level,
      expires_at: changedMember.expires_at,
      actor_id: ctx.actor.id,
    })
    return changedMember
  })
}

/** Makes the actor an owner of a group without owners. Runs in the caller's transaction. */
export function ensureOwner(ctx: Ctx, source: MemberSource): void {
  const today = isoDate(ctx.now)
  if (ctx.actor.kind !== 'user' || store.ownerIds(ctx.db, source, today).length > 0) return
  const member = lists.memberByUser(ctx.db, source, { user_id: ctx.actor.id, all: false, today })
  if (member)
    changeMember(ctx, { source, level: Infinity }, member.id, { access_level: OWNER, expires_at: null })
  else insertMember(ctx, source, ctx.actor.id, { access_level: OWNER })
}

/** Sets or removes the override of the LDAP access level of a member. Throws 404 for an unknown member. */
export function setOverride(ctx: Ctx, source: MemberSource, userId: number, override: boolean): MemberView {
  return tx(ctx.db, () => {
    store.setOverride(ctx.db, getMember(ctx, source, userId, false).member_id, override)
    return getMember(ctx, source, userId, false)
  })
}

/** Options for ending a membership. */
export interface RemovalOptions {
  /** Whether the memberships of subgroups and projects stay. */
  readonly keepsDescendants: boolean
  /** Whether the user is unassigned from all issues and merge requests of the owner. */
  readonly unassignsIssuables: boolean
  /** Throws if the caller may not remove the member. */
  readonly check: (member: MemberView) => void
}
type Cause = 'removed' | 'left' | 'expired'

/**
 * Ends a direct membership of a user, and those in the subgroups and projects of a group. Throws 404 for an unknown
 * member, 403 if the member cannot be removed.
 */
export function removeMember(
  ctx: Ctx,
  managed: ManagedSource,
  userId: number,
  options: RemovalOptions,
): void {
  tx(ctx.db, () => {
    const { source } = managed
    const member = getMember(ctx, source, userId, false)
    options.check(member)
    checkRemovable(ctx, managed, member)
    const cause = ctx.actor.id === userId ? 'left' : 'removed'
    const descendants =
      source.title === 'group' && !options.keepsDescendants
        ? store.membershipsBelow(ctx.db, source.id, userId)
        : []
    for (const row of [...descendants, store.byId(ctx.db, member.member_id)!]) {
      endMembership(ctx, row, cause, options.unassignsIssuables)
    }
  })
}

function endMembership(ctx: Ctx, row: store.MemberRow, cause: Cause, unassign_issuables: boolean): void {
  store.remove(ctx.db, row.id)
  publish(ctx, MemberRemoved, {
    ...(row.project_id === null ? { group_id: row.namespace_id! } : { project_id: row.project_id }),
    user_id: row.user_id,
    access_level: row.access_level,
    expires_at: row.expires_at,
    created_at: row.created_at,
    actor_id: ctx.actor.id,
    cause,
    unassign_issuables,
  })
}

/**
 * Deletes expired memberships, shares and invitations, and publishes the events. Queries ignore expired rows, so they
 * have no effect even before this runs.
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
