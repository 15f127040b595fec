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
  checkExpiry,
  checkLevel,
  checkLock,
  sourceIds,
  sentenceOf,
  type ManagedSource,
  type MembershipTerms,
} from './validation.ts'
import * as store from './store-invitations.ts'
import type { InvitationRow } from './store-invitations.ts'

/** Returns the contract's error for an unknown request or invitation, with a lowercase f (spec core 8.3). */
const recordNotFound = () => fail('not_found', '404 Not found')

/** Requests access for the actor. Throws 403 for members and if requests are disabled, 400 for a second request. */
export function requestAccess(ctx: Ctx, source: MemberSource): RequestRow {
  return tx(ctx.db, () => {
    const userId = ctx.actor.id!
    const member = lists.memberByUser(ctx.db, source, { user_id: userId, all: true, today: isoDate(ctx.now) })
    if (member || userId === source.owner_id || !members.allowsRequests(ctx.db, source))
      throw fail('forbidden')
    if (userById(ctx.db, userId)?.kind !== 'human') throw fail('forbidden')
    if (members.requestOf(ctx.db, source, userId)) throw invalid({ user_id: 'already exists in source' })
    members.insertRequest(ctx.db, source, userId, ctx.now)
    publish(ctx, AccessRequested, { ...sourceIds(source), user_id: userId, actor_id: userId })
    return members.requestOf(ctx.db, source, userId)!
  })
}

/**
 * Approves an access request. Throws 404 without a request, 403 for a level above the caller's own, 400 for an
 * invalid level.
 */
export function approve(ctx: Ctx, managed: ManagedSource, userId: number, accessLevel: number): MemberView {
  return tx(ctx.db, () => {
    const { source } = managed
    const user = members.requestOf(ctx.db, source, userId) && userById(ctx.db, userId)
    if (!user) throw recordNotFound()
    addUser(ctx, managed, user, { access_level: accessLevel })
    return getMember(ctx, source, userId, false)
  })
}

/** Denies an access request, or withdraws the actor's own one. Throws 404 without a request. */
export function deny(ctx: Ctx, source: MemberSource, userId: number): void {
  tx(ctx.db, () => {
    if (!members.deleteRequest(ctx.db, source, userId)) throw recordNotFound()
    publish(ctx, AccessRequestDenied, { ...sourceIds(source), user_id: userId, actor_id: ctx.actor.id })
  })
}

/** The recipients of invitations: email addresses, and ids of users. */
export interface Invitees {
  readonly emails: readonly string[]
  readonly userIds: readonly number[]
}

const MAX_INVITEES = 100
const EMAIL_ADDRESS = /^[^\s@<>,;"]{1,64}@[^\s@<>,;"]{1,190}$/

/**
 * Invites email addresses and users. Users with an account become members at once, others as soon as they have an
 * account with that address. Returns the errors by address or user name. Throws 403 for a level above the caller's
 * own, 400 for too many recipients.
 */
export function invite(
  ctx: Ctx,
  managed: ManagedSource,
  invitees: Invitees,
  terms: MembershipTerms,
): Record<string, string> {
  if (terms.access_level > managed.level) throw fail('forbidden')
  if (invitees.emails.length + invitees.userIds.length > MAX_INVITEES)
    throw fail('bad_request', `Too many users specified (limit is ${MAX_INVITEES})`)
  const problems: Record<string, string> = {}
  tx(ctx.db, () => {
    checkLock(ctx, managed)
    for (const email of new Set(invitees.emails)) {
      const problem = problemOf(() => inviteEmail(ctx, managed, email, terms))
      if (problem) problems[email] = problem
    }
    for (const id of new Set(invitees.userIds)) {
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

function inviteEmail(ctx: Ctx, managed: ManagedSource, email: string, terms: MembershipTerms): void {
  if (!EMAIL_ADDRESS.test(email)) throw fail('bad_request', 'Invite email is invalid')
  const id = store.userIdOf(ctx.db, email)
  const user: UserRow | undefined = id === undefined ? undefined : userById(ctx.db, id)
  if (user) return addUser(ctx, managed, user, terms)
  checkLevel(managed, terms.access_level)
  checkExpiry(ctx, terms.expires_at)
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

function findInvitation(ctx: Ctx, source: MemberSource, email: string): InvitationRow {
  const existingInvitation = store.byEmail(ctx.db, source, email, isoDate(ctx.now))
  if (!existingInvitation) throw recordNotFound()
  return existingInvitation
}

/**
 * Changes the access level or expiry of an invitation. Throws 404 for an unknown invitation, 403 for a level above
 * the caller's own, 400 for an invalid level or date.
 */
export function changeInvitation(
  ctx: Ctx,
  managed: ManagedSource,
  email: string,
  changes: Partial<MembershipTerms>,
): InvitationRow {
  return tx(ctx.db, () => {
    const invitation = findInvitation(ctx, managed.source, email)
    const { access_level = invitation.access_level, expires_at = invitation.expires_at } = changes
    if (invitation.access_level > managed.level) throw fail('forbidden')
    checkLevel(managed, access_level)
    checkExpiry(ctx, changes.expires_at)
    store.update(ctx.db, invitation.id, { access_level, expires_at })
    return { ...invitation, access_level, expires_at }
  })
}

/** Deletes an invitation. Throws 404 for an unknown one, 403 for one with a level above the caller's own. */
export function withdraw(ctx: Ctx, { source, level }: ManagedSource, email: string): void {
  tx(ctx.db, () => {
    const invitation = findInvitation(ctx, source, email)
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
 * Accepts the invitations to the confirmed email addresses of an active user. Invitations of direct members, and
 * those below an inherited access level, are only deleted.
 */
export function acceptInvitations(ctx: Ctx, userId: number): void {
  tx(ctx.db, () => {
    const user = userById(ctx.db, userId)
    if (user?.state !== 'active') return
    const today = isoDate(ctx.now)
    for (const invitation of store.forUser(ctx.db, userId, today)) {
      store.remove(ctx.db, invitation.id)
      const source = sourceOf(invitation)
      const member = lists.memberByUser(ctx.db, source, { user_id: userId, all: false, today })
      const inherited = members.inherited(ctx.db, source, userId, today)
      if (member || (inherited?.level ?? 0) > invitation.access_level) continue
      insertMember(ctx, source, userId, invitation)
    }
  })
}

function sourceOf({ project_id, namespace_id, lineage, owner_id }: ReturnType<typeof store.forUser>[number]) {
  const ancestry = { lineage, owner_id }
  return project_id === null
    ? groupSource({ id: namespace_id!, ...ancestry })
    : projectSource({ id: project_id, ...ancestry })
}
