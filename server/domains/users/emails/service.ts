import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { invalid, notFound } from '../../../lib/fail.ts'
import { emailProblem } from '../validation.ts'
import { EmailAdded, EmailRemoved } from '../events.ts'
import * as users from '../store.ts'
import * as store from './store.ts'

/** Finds a secondary address. Throws `404 Email Not Found`. */
export function getEmail(ctx: Ctx, userId: number, id: number): store.EmailRow {
  const row = store.byId(ctx.db, userId, id)
  if (!row) throw notFound('Email')
  return row
}

/**
 * Adds a secondary address. The user can use it only after it is confirmed. Throws 400 for an address that is invalid
 * or in use.
 */
export function addEmail(ctx: Ctx, userId: number, email: string, isConfirmed: boolean): store.EmailRow {
  const problem = emailProblem(email)
  if (problem) throw invalid({ email: problem })
  return tx(ctx.db, () => {
    if (store.ownerOf(ctx.db, email) !== undefined) throw invalid({ email: 'has already been taken' })
    const row = store.insert(ctx.db, {
      user_id: userId,
      email,
      confirmed_at: isConfirmed ? ctx.now : null,
      created_at: ctx.now,
    })
    publish(ctx, EmailAdded, { user_id: userId, email_id: row.id, actor_id: ctx.actor.id })
    return row
  })
}

/** Deletes a secondary address. Settings that used it fall back to the primary one. Throws `404 Email Not Found`. */
export function removeEmail(ctx: Ctx, userId: number, id: number): void {
  tx(ctx.db, () => {
    const { email } = getEmail(ctx, userId, id)
    store.remove(ctx.db, id)
    removeUses(ctx, userId, email)
    publish(ctx, EmailRemoved, { user_id: userId, email_id: id, actor_id: ctx.actor.id })
  })
}

/** Clears the settings of a user that contain an email address. */
function removeUses(ctx: Ctx, userId: number, email: string): void {
  const user = users.userById(ctx.db, userId)!
  const isSame = (other: string | null): boolean => other?.toLowerCase() === email.toLowerCase()
  if (!isSame(user.public_email) && !isSame(user.commit_email)) return
  users.updateUser(ctx.db, userId, {
    public_email: isSame(user.public_email) ? '' : user.public_email,
    commit_email: isSame(user.commit_email) ? null : user.commit_email,
    updated_at: ctx.now,
  })
}

/**
 * Makes an address the primary one and confirms it. If it was a secondary address, the former primary address becomes
 * secondary; otherwise that address is removed. Runs in the caller's transaction.
 */
export function makePrimary(ctx: Ctx, user: users.UserRow, email: string): users.UserRow {
  const secondary = store.byEmail(ctx.db, email)
  if (secondary) {
    store.remove(ctx.db, secondary.id)
    store.insert(ctx.db, {
      user_id: user.id,
      email: user.email,
      confirmed_at: user.confirmed_at,
      created_at: ctx.now,
    })
  }
  const changes = { email, unconfirmed_email: null, confirmation_digest: null, confirmed_at: ctx.now }
  const changed = users.updateUser(ctx.db, user.id, changes)
  if (!secondary) removeUses(ctx, user.id, user.email)
  return changed
}
