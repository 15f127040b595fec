import type { Ctx } from '../../../ctx.ts'
import { addDays, isoDate } from '../../../lib/clock.ts'
import { fail } from '../../../lib/fail.ts'
import { settingsOf } from '../../settings/index.ts'
import { userOf, type UserRow, isLastAdmin, userById } from '../../users/index.ts'
import { scheduleDeletion } from '../deletion/service.ts'
import { changeState } from './change.ts'
import { cron, type CronLine } from '../../../jobs/job.ts'
import { confirmationMode } from '../../auth/index.ts'
import { dormantIds, unconfirmedIds } from '../store.ts'

/** States that only an administrator can end. */
const CLOSED_STATES = new Set(['blocked', 'ldap_blocked', 'banned', 'blocked_pending_approval'])

const forbid = (reason: string) => fail('forbidden', `403 Forbidden - ${reason}`)

/**
 * Blocks a user. Returns null for a user who is blocked already. Throws 403 for the caller, LDAP accounts and
 * internal users.
 */
export function block(ctx: Ctx, id: number): boolean | null {
  const user = userOf(ctx, id)
  if (user.state === 'ldap_blocked') throw forbid('LDAP blocked users cannot be modified by the API')
  if (user.id === ctx.actor.id) throw forbid('The API initiating user cannot be blocked by the API')
  if (user.state === 'blocked' || user.state === 'banned') return null
  if (user.kind === 'ghost') throw fail('forbidden', 'An internal user cannot be blocked')
  changeState(ctx, user, 'blocked')
  return true
}

/**
 * Unblocks a user. Returns false for a user who is not blocked. Throws 403 for LDAP accounts and deactivated users.
 */
export function unblock(ctx: Ctx, id: number): boolean {
  const user = userOf(ctx, id)
  if (user.state === 'ldap_blocked') throw forbid('LDAP blocked users cannot be unblocked by the API')
  if (user.state === 'deactivated') throw forbid('Deactivated users cannot be unblocked by the API')
  if (user.state !== 'blocked' && user.state !== 'blocked_pending_approval') return false
  changeState(ctx, user, 'active')
  return true
}

/** Bans a user. Throws 403 for a user who is not active, for the caller and for internal users. */
export function ban(ctx: Ctx, id: number): true {
  const user = userOf(ctx, id)
  if (user.id === ctx.actor.id) throw forbid('The API initiating user cannot be banned by the API')
  if (user.kind === 'ghost') throw fail('forbidden', 'You cannot ban internal users.')
  if (user.state !== 'active') throw fail('forbidden', `You cannot ban ${user.state} users.`)
  changeState(ctx, user, 'banned')
  return true
}

/** Unbans a user. Throws 403 for a user who is not banned. */
export function unban(ctx: Ctx, id: number): true {
  const user = userOf(ctx, id)
  if (user.state !== 'banned') throw fail('forbidden', `You cannot unban ${user.state} users.`)
  changeState(ctx, user, 'active')
  return true
}

/** Activates a deactivated user. Throws 403 for a blocked user. */
export function activate(ctx: Ctx, id: number): true {
  const user = userOf(ctx, id)
  if (CLOSED_STATES.has(user.state)) throw forbid('A blocked user must be unblocked to be activated')
  if (user.state !== 'active') changeState(ctx, user, 'active')
  return true
}

/** Returns the number of days without activity after which a user is dormant. */
function dormantDays(ctx: Ctx): number {
  return settingsOf(ctx).deactivate_dormant_users_period
}

function wasActive(ctx: Ctx, user: UserRow, days: number): boolean {
  const since = isoDate(addDays(ctx.now, -days))
  return [user.last_activity_on, user.current_sign_in_at].some((day) => day !== null && isoDate(day) > since)
}

/**
 * Deactivates a dormant user. Returns null for a deactivated user. Throws 403 for blocked, active and internal users.
 */
export function deactivate(ctx: Ctx, id: number): boolean | null {
  const user = userOf(ctx, id)
  if (user.state === 'deactivated') return null
  if (CLOSED_STATES.has(user.state)) throw forbid('A blocked user cannot be deactivated by the API')
  if (user.kind === 'ghost') throw forbid('An internal user cannot be deactivated by the API')
  const days = dormantDays(ctx)
  if (user.id === ctx.actor.id || wasActive(ctx, user, days)) {
    throw forbid(
      `The user you are trying to deactivate has been active in the past ${days} days and cannot be deactivated`,
    )
  }
  changeState(ctx, user, 'deactivated')
  return true
}

/** Approves a user who signed up. Throws 409 for a user who is not pending approval. */
export function approve(ctx: Ctx, id: number): true {
  const user = userOf(ctx, id)
  if (user.state !== 'blocked_pending_approval')
    throw fail('conflict', 'The user you are trying to approve is not pending approval')
  changeState(ctx, user, 'active')
  return true
}

/** Rejects a user who signed up, and deletes the account. Throws 409 for a user who is not pending approval. */
export function reject(ctx: Ctx, id: number): true {
  const user = userOf(ctx, id)
  if (user.state !== 'blocked_pending_approval')
    throw fail('conflict', 'User does not have a pending request')
  scheduleDeletion(ctx, user, { isHard: true })
  return true
}

/** Deactivates dormant users if the settings require it. A sign-in activates them again. */
export function deactivateDormant(ctx: Ctx): void {
  if (!settingsOf(ctx).deactivate_dormant_users) return
  for (const id of dormantIds(ctx.db, isoDate(addDays(ctx.now, -dormantDays(ctx))))) {
    const user = userById(ctx.db, id)!
    if (!isLastAdmin(ctx.db, user)) changeState(ctx, user, 'deactivated')
  }
}

/** Deletes users who never confirmed their email address if the settings require it. */
export function deleteUnconfirmed(ctx: Ctx): void {
  const { delete_unconfirmed_users, unconfirmed_users_delete_after_days: days } = settingsOf(ctx)
  if (!delete_unconfirmed_users || confirmationMode(ctx) === 'off') return
  for (const id of unconfirmedIds(ctx.db, addDays(ctx.now, -days))) {
    const user = userById(ctx.db, id)!
    if (!isLastAdmin(ctx.db, user)) scheduleDeletion(ctx, user, { isHard: true })
  }
}

export const crons: CronLine[] = [
  cron('accounts.deactivate_dormant', '43 2 * * *', deactivateDormant),
  cron('accounts.delete_unconfirmed', '53 2 * * *', deleteUnconfirmed),
]
