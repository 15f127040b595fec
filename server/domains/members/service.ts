import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import { publish } from '../../events/facts.ts'
import { isoDate } from '../../lib/clock.ts'
import { fail, invalid } from '../../lib/fail.ts'
import { MEMBER_LEVELS, MINIMAL, OWNER } from '../../policy/levels.ts'
import { userById, userByUsername, type UserRow } from '../users/index.ts'
import { MemberAdded, MemberRemoved, MemberUpdated } from './events.ts'
import type { MemberPlace } from './place.ts'
import type { MemberView } from './store.ts'
import * as store from './store.ts'

/** Names of levels as they stand in sentences. */
const LEVEL_NAMES: Readonly<Record<number, string>> = {
  5: 'Minimal Access',
  10: 'Guest',
  20: 'Reporter',
  30: 'Developer',
  40: 'Maintainer',
  50: 'Owner',
}

/** A place together with what the caller may do there: the highest level they can hand out. */
export interface Managed {
  readonly place: MemberPlace
  /** The caller's own level; `Infinity` for administrators. */
  readonly level: number
}

/** The level and end of a membership as given. `expires_at` null means no end; absent leaves it. */
export interface Terms {
  access_level: number
  expires_at?: string | null | undefined
}

/** The small f is the contract's (spec core 8.3). */
function noMember() {
  return fail('not_found', '404 Not found')
}

/** A member by user id; with `all` also by a group above. Throws 404. */
export function getMember(ctx: Ctx, place: MemberPlace, userId: number, all: boolean): MemberView {
  const member = store.one(ctx.db, place, { user_id: userId, all, today: isoDate(ctx.now) })
  if (!member) throw noMember()
  return member
}

function checkTerms(ctx: Ctx, { place, level }: Managed, userId: number, terms: Terms): void {
  const levels: readonly number[] =
    place.title === 'group' ? MEMBER_LEVELS : MEMBER_LEVELS.filter((one) => one !== MINIMAL)
  if (!levels.includes(terms.access_level)) throw invalid({ access_level: 'is not included in the list' })
  if (terms.access_level > level) throw fail('forbidden')
  if (terms.expires_at && terms.expires_at < isoDate(ctx.now))
    throw invalid({ expires_at: 'cannot be a date in the past' })
  const above = store.inherited(ctx.db, place, userId, isoDate(ctx.now))
  if (above && above.level > terms.access_level) {
    const sentence = `should be greater than or equal to ${LEVEL_NAMES[above.level]} inherited membership from group ${above.group}`
    throw invalid({ access_level: sentence })
  }
}

function fact(ctx: Ctx, place: MemberPlace, userId: number, level: number) {
  const where = place.column === 'project_id' ? { project_id: place.id } : { group_id: place.id }
  return { ...where, user_id: userId, access_level: level, actor_id: ctx.actor.id }
}

/** Makes a user a member without asking anybody: for owners of what has just been created. Inside the caller's transaction. */
export function insertMember(ctx: Ctx, place: MemberPlace, userId: number, terms: Terms): void {
  store.insert(ctx.db, place, {
    user_id: userId,
    access_level: terms.access_level,
    expires_at: terms.expires_at ?? null,
    created_by_id: ctx.actor.id,
    created_at: ctx.now,
  })
  publish(ctx, MemberAdded, fact(ctx, place, userId, terms.access_level))
}

/** Adds one user. Throws 404 for an unknown one, 409 for a member, 403 above the caller's own level, 400 for bad terms. */
export function addMember(
  ctx: Ctx,
  managed: Managed,
  who: { user_id?: number; username?: string | undefined },
  terms: Terms,
): MemberView {
  return tx(ctx.db, () => {
    const user =
      who.user_id === undefined ? userByUsername(ctx.db, who.username ?? '') : userById(ctx.db, who.user_id)
    if (!user) throw fail('not_found', '404 User Not Found')
    addUser(ctx, managed, user, terms)
    return getMember(ctx, managed.place, user.id, false)
  })
}

function addUser(ctx: Ctx, managed: Managed, user: UserRow, terms: Terms): void {
  checkTerms(ctx, managed, user.id, terms)
  if (store.one(ctx.db, managed.place, { user_id: user.id, all: false, today: isoDate(ctx.now) })) {
    throw fail('conflict', 'Member already exists')
  }
  insertMember(ctx, managed.place, user.id, terms)
}

/** Adds several users and says, by user name, what kept one out. Terms that suit nobody refuse the whole. */
export function addMembers(
  ctx: Ctx,
  managed: Managed,
  userIds: readonly number[],
  terms: Terms,
): Record<string, string> {
  if (terms.access_level > managed.level) throw fail('forbidden')
  const problems: Record<string, string> = {}
  return tx(ctx.db, () => {
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
    const detail = (error as { detail?: unknown }).detail
    if (detail === undefined) throw error
    if (typeof detail === 'string') return detail
    const fields = Object.entries(detail as Record<string, readonly string[]>)
    return fields.map(([field, texts]) => `${field.replaceAll('_', ' ')} ${texts.join(', ')}`).join('; ')
  }
}

/** The personal namespace's owner stays owner, a group keeps one owner, and nobody touches a member above themselves. */
function checkMayLose(ctx: Ctx, { place, level }: Managed, member: MemberView): void {
  if (member.access_level > level || member.id === place.owner_id) throw fail('forbidden')
  if (place.title !== 'group' || member.access_level !== OWNER) return
  const owners = store.ownerIds(ctx.db, place, isoDate(ctx.now))
  if (owners.length === 1 && owners[0] === member.id) throw fail('forbidden')
}

/** Changes level and end of a direct membership. */
export function changeMember(ctx: Ctx, managed: Managed, userId: number, terms: Terms): MemberView {
  return tx(ctx.db, () => {
    const member = getMember(ctx, managed.place, userId, false)
    if (terms.access_level !== member.access_level || terms.expires_at) checkMayLose(ctx, managed, member)
    checkTerms(ctx, managed, userId, terms)
    store.update(ctx.db, member.member_id, terms)
    const changed = getMember(ctx, managed.place, userId, false)
    publish(ctx, MemberUpdated, {
      ...fact(ctx, managed.place, userId, changed.access_level),
      expires_at: changed.expires_at,
    })
    return changed
  })
}

/** Ends a direct membership, and below a group those of its subgroups and projects unless they are to stay. */
export function removeMember(
  ctx: Ctx,
  managed: Managed,
  userId: number,
  options: { keepBelow: boolean; check: (member: MemberView) => void },
): void {
  tx(ctx.db, () => {
    const member = getMember(ctx, managed.place, userId, false)
    options.check(member)
    checkMayLose(ctx, managed, member)
    if (managed.place.title === 'group' && !options.keepBelow) removeBelow(ctx, managed, userId)
    store.remove(ctx.db, member.member_id)
    publish(ctx, MemberRemoved, fact(ctx, managed.place, userId, member.access_level))
  })
}

function removeBelow(ctx: Ctx, { place }: Managed, userId: number): void {
  for (const row of store.belowGroup(ctx.db, place.id, userId)) forget(ctx, row, userId)
}

function forget(
  ctx: Ctx,
  row: { id: number; project_id: number | null; namespace_id: number | null; access_level: number },
  userId: number,
): void {
  store.remove(ctx.db, row.id)
  const at = row.project_id === null ? { group_id: row.namespace_id ?? 0 } : { project_id: row.project_id }
  publish(ctx, MemberRemoved, {
    ...at,
    user_id: userId,
    access_level: row.access_level,
    actor_id: ctx.actor.id,
  })
}

/** Removes the memberships whose day has come, and tells. */
export function removeExpired(ctx: Ctx): void {
  tx(ctx.db, () => {
    for (const row of store.expired(ctx.db, isoDate(ctx.now))) forget(ctx, row, row.user_id)
  })
}
