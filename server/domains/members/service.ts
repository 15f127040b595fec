import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import { publish } from '../../events/publish.ts'
import { isoDate } from '../../lib/clock.ts'
import { fail, invalid } from '../../lib/fail.ts'
import { OWNER } from '../../policy/levels.ts'
import { userById, userByUsername, type UserRow } from '../users/index.ts'
import { MemberAdded, MemberUpdated } from './events.ts'
import type { MemberView } from './list.ts'
import * as lists from './list.ts'
import type { MemberSource } from './source.ts'
import * as store from './store.ts'
import {
  checkLock,
  checkTerms,
  placeIds,
  sentenceOf,
  type Managed,
  type NewTerms,
  type Terms,
} from './terms.ts'

/** A member by user id; with `all` also by a group. Throws 404; the small f is the contract's (spec core 8.3). */
export function getMember(ctx: Ctx, source: MemberSource, userId: number, all: boolean): MemberView {
  const member = lists.one(ctx.db, source, { user_id: userId, all, today: isoDate(ctx.now) })
  if (!member) throw fail('not_found', '404 Not found')
  return member
}

/**
 * Makes a user a member without asking anybody: for owners of what has just been created, and where the caller has
 * checked. Ends a request for access. Inside the caller's transaction.
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
    ...placeIds(source),
    user_id: userId,
    access_level: terms.access_level,
    expires_at,
    actor_id: ctx.actor.id,
  })
}

/**
 * Adds one user. Throws 404 for an unknown one, 409 for a member, 405 where a group keeps its members to itself, 403
 * above the caller's own level, 400 for bad terms.
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

/** Adds a user who was found; throws as above. Inside the caller's transaction. */
export function addUser(ctx: Ctx, managed: Managed, user: UserRow, terms: Terms): void {
  checkTerms(ctx, managed, user.id, terms)
  if (lists.one(ctx.db, managed.source, { user_id: user.id, all: false, today: isoDate(ctx.now) })) {
    throw fail('conflict', 'Member already exists')
  }
  if (user.kind !== 'human')
    throw invalid({ user: 'project bots cannot be added to other groups / projects' })
  insertMember(ctx, managed.source, user.id, terms)
}

/** Adds several users and says, by user name, what kept one out. A level above the caller's own refuses the whole. */
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

/** The personal namespace's owner stays owner, a group keeps one owner, and nobody touches a member above themselves. */
export function checkMayLose(ctx: Ctx, { source: place, level }: Managed, member: MemberView): void {
  if (member.access_level > level || member.id === place.owner_id) throw fail('forbidden')
  if (place.title !== 'group' || member.access_level !== OWNER) return
  const owners = store.ownerIds(ctx.db, place, isoDate(ctx.now))
  if (owners.length === 1 && owners[0] === member.id) throw fail('forbidden')
}

/** Changes level and end of a direct membership. Throws 404, 403 and 400 as above. */
export function changeMember(ctx: Ctx, managed: Managed, userId: number, terms: Terms): MemberView {
  return tx(ctx.db, () => {
    const { source: place } = managed
    const member = getMember(ctx, place, userId, false)
    if (terms.access_level !== member.access_level || terms.expires_at) checkMayLose(ctx, managed, member)
    checkTerms(ctx, managed, userId, terms)
    store.update(ctx.db, member.member_id, terms)
    const changed = getMember(ctx, place, userId, false)
    publish(ctx, MemberUpdated, {
      ...placeIds(place),
      user_id: userId,
      access_level: changed.access_level,
      old_access_level: member.access_level,
      expires_at: changed.expires_at,
      actor_id: ctx.actor.id,
    })
    return changed
  })
}

/** Makes the actor an owner of a group that nobody owns. Inside the caller's transaction. */
export function ensureOwner(ctx: Ctx, source: MemberSource): void {
  const today = isoDate(ctx.now)
  if (ctx.actor.kind !== 'user' || store.ownerIds(ctx.db, source, today).length > 0) return
  const own = lists.one(ctx.db, source, { user_id: ctx.actor.id, all: false, today })
  if (own)
    changeMember(ctx, { source: source, level: Infinity }, own.id, { access_level: OWNER, expires_at: null })
  else insertMember(ctx, source, ctx.actor.id, { access_level: OWNER })
}

/** Marks a level as set by hand, or lets the directory have its way again. Throws 404. */
export function setOverride(ctx: Ctx, source: MemberSource, userId: number, override: boolean): MemberView {
  return tx(ctx.db, () => {
    store.setOverride(ctx.db, getMember(ctx, source, userId, false).member_id, override)
    return getMember(ctx, source, userId, false)
  })
}
