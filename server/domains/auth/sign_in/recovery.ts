import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { isoTime } from '../../../lib/clock.ts'
import { tokenDigest } from '../../../lib/security/crypto.ts'
import { fail, invalid } from '../../../lib/fail.ts'
import { UserUpdated } from '../../users/events.ts'
import { passwordHash, updateUser, userById, type UserRow, confirmSecondaryEmail } from '../../users/index.ts'
import { changeAccount } from './accounts.ts'
import { dutyOf } from '../credentials/account-state.ts'
import { isPasswordOf } from './passwords.ts'
import * as store from '../store.ts'

/** Lifetime of a password reset link in milliseconds. */
const RESET_LIFETIME_MS = 48 * 3_600_000

/**
 * A link that resets a password or confirms an email address, once. An administrator passes it to the user if there
 * is no mail server. Only a digest of its token is stored.
 */
export interface OneTimeLink {
  readonly token: string
  readonly url: string
  /** Null for a link without an expiry. */
  readonly expires_at: string | null
}

/** Creates a password reset link for a user. An earlier link becomes invalid. */
export function createResetLink(ctx: Ctx, userId: number): OneTimeLink {
  const token = ctx.random.token(32)
  updateUser(ctx.db, userId, { reset_password_digest: tokenDigest(token), reset_password_sent_at: ctx.now })
  return {
    token,
    url: `${ctx.config.url}/-/password_reset?token=${token}`,
    expires_at: isoTime(Date.parse(ctx.now) + RESET_LIFETIME_MS),
  }
}

function userOfReset(ctx: Ctx, token: string): UserRow {
  const user = store.userByResetDigest(ctx.db, tokenDigest(token))
  if (!user) throw invalid({ reset_password_token: 'is invalid' })
  const oldest = isoTime(Date.parse(ctx.now) - RESET_LIFETIME_MS)
  if (user.reset_password_sent_at === null || user.reset_password_sent_at <= oldest)
    throw invalid({ reset_password_token: 'has expired, please request a new one' })
  return user
}

const RESET_COLUMNS = {
  reset_password_digest: null,
  reset_password_sent_at: null,
  password_expires_at: null,
}

/** Sets the password of the token's user and ends all sessions. Throws 400 for an invalid token. */
export async function resetPassword(ctx: Ctx, token: string, password: string): Promise<void> {
  const password_hash = await passwordHash(ctx, password, userOfReset(ctx, token))
  // The token is checked again, because the link may have been used while the hash was computed.
  tx(ctx.db, () => changeAccount(ctx, userOfReset(ctx, token), { ...RESET_COLUMNS, password_hash }))
}

/** Changes the password of the actor. Throws 400 if the current password is wrong or the new one is invalid. */
export async function changeOwnPassword(
  ctx: Ctx,
  input: { current_password: string; password: string; ip: string },
): Promise<void> {
  const user = userById(ctx.db, ctx.actor.id!)!
  if (!(await isPasswordOf(ctx, user, { password: input.current_password, ip: input.ip })))
    throw invalid({ current_password: 'is invalid' })
  if (dutyOf(ctx, user) === 'change_password' && input.password === input.current_password)
    throw invalid({ password: 'must not be the same as the one that expired' })
  const password_hash = await passwordHash(ctx, input.password, user)
  changeAccount(ctx, user, { ...RESET_COLUMNS, password_hash })
}

/**
 * Creates a link that confirms the primary email address of a user, or the pending new one. Throws 409 if there is
 * nothing to confirm.
 */
export function createConfirmationLink(ctx: Ctx, user: UserRow): OneTimeLink {
  if (user.confirmed_at !== null && user.unconfirmed_email === null)
    throw fail('conflict', 'The email address is already confirmed.')
  const token = ctx.random.token(32)
  updateUser(ctx.db, user.id, { confirmation_digest: tokenDigest(token) })
  return { token, url: confirmationUrl(ctx, token), expires_at: null }
}

/** Returns the URL that confirms an email address. */
export function confirmationUrl(ctx: Ctx, token: string): string {
  return `${ctx.config.url}/-/confirmation?token=${token}`
}

/**
 * Confirms the email address of a token: the primary, a new primary or a secondary address. Throws 400 for an unknown
 * token.
 */
export function confirmAddress(ctx: Ctx, token: string): void {
  const digest = tokenDigest(token)
  tx(ctx.db, () => {
    const user = store.userByConfirmationDigest(ctx.db, digest)
    if (user) return confirmPrimary(ctx, user)
    const user_id = confirmSecondaryEmail(ctx.db, digest, ctx.now)
    if (user_id === undefined) throw invalid({ confirmation_token: 'is invalid' })
    publish(ctx, UserUpdated, { user_id, changed: ['emails'], actor_id: user_id })
  })
}

function confirmPrimary(ctx: Ctx, user: UserRow): void {
  const email = user.unconfirmed_email ?? user.email
  if (store.isEmailTaken(ctx.db, email, user.id)) throw invalid({ email: 'has already been taken' })
  const changes = {
    email,
    unconfirmed_email: null,
    confirmation_digest: null,
    confirmed_at: ctx.now,
    updated_at: ctx.now,
  }
  updateUser(ctx.db, user.id, changes)
  publish(ctx, UserUpdated, { user_id: user.id, changed: Object.keys(changes), actor_id: user.id })
}

/** Accepts the terms of service as the actor. */
export function acceptTerms(ctx: Ctx): void {
  updateUser(ctx.db, ctx.actor.id!, { accepted_terms_at: ctx.now })
}
