import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import { publish } from '../../events/publish.ts'
import { isoDate } from '../../lib/clock.ts'
import { fail, Failure, invalid } from '../../lib/fail.ts'
import { userById, type UserRow } from '../users/index.ts'
import { InvitationWithdrawn, MemberInvited, AccessRequestDenied, AccessRequested } from './events.ts'
import * as lists from './store-list.ts'
import type { MemberView } from './store-list.ts'
import type { RequestRow } from './store.ts'
import { groupSource, projectSource, type MemberSource } from './types.ts'
import { addUser, insertMember, getMember } from './service.ts'
import * as members from './store.ts'
import {
  checkEnd,
  checkLevel,
  checkLock,
  sourceIds,
  sentenceOf,
  type Managed,
  type Terms,
} from './validation.ts'
import * as store from './store-invitations.ts'
import type { InvitationRow } from './store-invitations.ts'

/** The contract writes a small f for a record that an endpoint looks up (spec core 8.3). */
const missing = () => fail('not_found', '404 Not found')

/** Requests access. Throws 403 for members and if requests are disabled, 400 for a second request. */
export function requestAccess(ctx: Ctx, source: MemberSource): RequestRow {
  return tx(ctx.db, () => {
    const userId = ctx.actor.id!
    const is = lists.one(ctx.db, source, { user_id: userId, all: true, today: isoDate(ctx.now) })
    if (is || userId === source.owner_id || !members.takesRequests(ctx.db, source)) throw fail('forbidden')
    if (userById(ctx.db, userId)?.kind !== 'human') throw fail('forbidden')
    if (members.requestOf(ctx.db, source, userId)) throw invalid({ user_id: 'already exists in source' })
    members.insertRequest(ctx.db, source, userId, ctx.now)
    publish(ctx, AccessRequested, { ...sourceIds(source), user_id: userId, actor_id: userId })
    return members.requestOf(ctx.db, source, userId)!
  })
}

/** Approves a request. Throws 404 without a request, 403 above the caller's own level, 400 for invalid levels. */
export function approve(ctx: Ctx, managed: Managed, userId: number, accessLevel: number): MemberView {
  return tx(ctx.db, () => {
    const { source } = managed
    const user = members.requestOf(ctx.db, source, userId) && userById(ctx.db, userId)
    if (!user) throw missing()
    addUser(ctx, managed, user, { access_level: accessLevel })
    return getMember(ctx, source, userId, false)
  })
}

/** Denies a request. Users may withdraw their own request. Throws 404. */
export function deny(ctx: Ctx, source: MemberSource, userId: number): void {
  tx(ctx.db, () => {
    if (!members.endRequest(ctx.db, source, userId)) throw missing()
    publish(ctx, AccessRequestDenied, { ...sourceIds(source), user_id: userId, actor_id: ctx.actor.id })
  })
}

/** The recipients: addresses, and users by ID. */
export interface Invited {
  readonly emails: readonly string[]
  readonly userIds: readonly number[]
}

const MAX_INVITED = 100
const ADDRESS = /^[^\s@<>,;"]{1,64}@[^\s@<>,;"]{1,190}$/

/**
 * Invites addresses and users. Users with an account become members at once, others as soon as they have an account
 * with that address. Returns the errors by address or user name. Throws 403 above the caller's own level, 400 for too
 * many.
 */
export function invite(ctx: Ctx, managed: Managed, who: Invited, terms: Terms): Record<string, string> {
  if (terms.access_level > managed.level) throw fail('forbidden')
  if (who.emails.length + who.userIds.length > MAX_INVITED)
    throw fail('bad_request', `Too many users specified (limit is ${MAX_INVITED})`)
  const problems: Record<string, string> = {}
  tx(ctx.db, () => {
    checkLock(ctx, managed)
    for (const email of new Set(who.emails)) {
      const problem = problemOf(() => inviteAddress(ctx, managed, email, terms))
      if (problem) problems[email] = problem
    }
    for (const id of new Set(who.userIds)) {
      const user = userById(ctx.db, id)
      const problem = user ? problemOf(() => addUser(ctx, managed, user, terms)) : 'User not found'
      if (problem) problems[user?.username ?? String(id)] = problem
    }
  })
  return problems
}

function problemOf(work: () => void): string | undefined {
  try {
    work()
    return undefined
  } catch (error) {
    if (error instanceof Failure && error.kind === 'conflict') return 'User already exists in source'
    return sentenceOf(error)
  }
}

function inviteAddress(ctx: Ctx, managed: Managed, email: string, terms: Terms): void {
  if (!ADDRESS.test(email)) throw fail('bad_request', 'Invite email is invalid')
  const id = store.userIdOf(ctx.db, email)
  const user: UserRow | undefined = id === undefined ? undefined : userById(ctx.db, id)
  if (user) return addUser(ctx, managed, user, terms)
  checkLevel(managed, terms.access_level)
  checkEnd(ctx, terms.expires_at)
  if (store.byEmail(ctx.db, managed.source, email, isoDate(ctx.now)))
    throw fail('bad_request', 'Invite email has already been taken')
  const invitation_id = store.insert(ctx.db, managed.source, {
    email,
    access_level: terms.access_level,
    expires_at: terms.expires_at ?? null,
    token: ctx.random.token(20),
    created_by_id: ctx.actor.id,
    created_at: ctx.now,
  })
  publish(ctx, MemberInvited, { ...sourceIds(managed.source), invitation_id, actor_id: ctx.actor.id })
}

function find(ctx: Ctx, source: MemberSource, email: string): InvitationRow {
  const existing = store.byEmail(ctx.db, source, email, isoDate(ctx.now))
  // The contract writes a small f for a record that an endpoint looks up (spec core 8.3).
  if (!existing) throw fail('not_found', '404 Not found')
  return existing
}

/** Changes the access level or expiry of an invitation. Throws 404, 403 and 400. */
export function changeInvitation(
  ctx: Ctx,
  managed: Managed,
  email: string,
  changes: Partial<Terms>,
): InvitationRow {
  return tx(ctx.db, () => {
    const invitation = find(ctx, managed.source, email)
    const { access_level = invitation.access_level, expires_at = invitation.expires_at } = changes
    if (invitation.access_level > managed.level) throw fail('forbidden')
    checkLevel(managed, access_level)
    checkEnd(ctx, changes.expires_at)
    store.update(ctx.db, invitation.id, { access_level, expires_at })
    return { ...invitation, access_level, expires_at }
  })
}

/** Withdraws an invitation. Throws 404. */
export function withdraw(ctx: Ctx, { source, level }: Managed, email: string): void {
  tx(ctx.db, () => {
    const invitation = find(ctx, source, email)
    if (invitation.access_level > level) throw fail('forbidden')
    store.remove(ctx.db, invitation.id)
    publish(ctx, InvitationWithdrawn, {
      ...sourceIds(source),
      invitation_id: invitation.id,
      actor_id: ctx.actor.id,
    })
  })
}

/**
 * Accepts the invitations to a user's confirmed addresses as soon as the account is active. A current membership with
 * at least the same access level stays.
 */
export function acceptInvitations(ctx: Ctx, userId: number): void {
  tx(ctx.db, () => {
    const user = userById(ctx.db, userId)
    if (user?.state !== 'active') return
    const today = isoDate(ctx.now)
    for (const invitation of store.forUser(ctx.db, userId, today)) {
      store.remove(ctx.db, invitation.id)
      const source = sourceOf(invitation)
      const is = lists.one(ctx.db, source, { user_id: userId, all: false, today })
      const above = members.inherited(ctx.db, source, userId, today)
      if (is || (above?.level ?? 0) > invitation.access_level) continue
      insertMember(ctx, source, userId, invitation)
    }
  })
}

function sourceOf({ project_id, namespace_id, lineage, owner_id }: ReturnType<typeof store.forUser>[number]) {
  const about = { lineage, owner_id }
  return project_id === null
    ? groupSource({ id: namespace_id!, ...about })
    : projectSource({ id: project_id, ...about })
}
