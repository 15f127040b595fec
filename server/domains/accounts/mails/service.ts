import type { Ctx } from '../../../ctx.ts'
import { confirmationMode, createConfirmationLink } from '../../auth/index.ts'
import { mailObstacle, queueMail } from '../../mail/index.ts'
import { settingsOf } from '../../settings/index.ts'
import { userById, type UserRow } from '../../users/index.ts'

/** Returns a user who can receive email; undefined for bots and internal users. */
function mailRecipient(ctx: Ctx, id: number): UserRow | undefined {
  const user = userById(ctx.db, id)
  return user && user.kind === 'human' && !user.bot && user.email !== '' ? user : undefined
}

/** Returns the host name of the instance. */
const hostOf = (ctx: Ctx): string => new URL(ctx.config.url).host

/** Sends an email to a user about a sign-in from a new IP address. */
export function mailSignIn(ctx: Ctx, userId: number, { ip, at }: { ip: string; at: string }): void {
  const user = mailRecipient(ctx, userId)
  if (!user || !settingsOf(ctx).notify_on_unknown_sign_in) return
  queueMail(ctx, {
    to: [user.email],
    subject: `${hostOf(ctx)} sign-in from new location`,
    text: [
      `Hello, ${user.name}!`,
      `We noticed a sign-in to your account (@${user.username}) from a new address: ${ip}, ${at}.`,
      'If that was you, there is nothing to do.',
      `If it was not, change your password and end the session: ${ctx.config.url}/-/profile`,
    ].join('\n\n'),
  })
}

/** Sends an email to a user about the deactivation of their account. */
export function mailDeactivation(ctx: Ctx, userId: number): void {
  const user = mailRecipient(ctx, userId)
  if (user?.state !== 'deactivated' || !settingsOf(ctx).user_deactivation_emails_enabled) return
  queueMail(ctx, {
    to: [user.email],
    subject: 'Your account has been deactivated',
    text: [
      `Hello, ${user.name}!`,
      `Your account (@${user.username}) has been deactivated, and nothing in it was deleted.`,
      `Sign in at ${ctx.config.url} to use it again.`,
    ].join('\n\n'),
  })
}

/**
 * Sends the link that confirms an email address: that of a new account, or a new one of an existing account. Does
 * nothing if the instance sends no email: then an administrator passes a link to the user, and a new link would
 * invalidate it.
 */
export function sendConfirmation(ctx: Ctx, userId: number): void {
  const user = mailRecipient(ctx, userId)
  if (!user || mailObstacle(ctx) !== undefined) return
  const address = user.unconfirmed_email ?? (user.confirmed_at === null ? user.email : null)
  if (address === null || (user.unconfirmed_email === null && confirmationMode(ctx) === 'off')) return
  const { url } = createConfirmationLink(ctx, user)
  queueMail(ctx, {
    to: [address],
    subject: 'Confirmation instructions',
    text: [
      `Hello, ${user.name}!`,
      `Open this link to confirm that ${address} is an address of @${user.username}:`,
      url,
    ].join('\n\n'),
  })
}

/** Sends an email about an unusual number of downloads to the users in the settings. */
export function mailDownloads(
  ctx: Ctx,
  { user_id, count, is_banned }: { user_id: number; count: number; is_banned: boolean },
): void {
  const user = userById(ctx.db, user_id)
  if (!user) return
  for (const id of settingsOf(ctx).git_rate_limit_users_alertlist) {
    const recipient = mailRecipient(ctx, id)
    if (!recipient) continue
    queueMail(ctx, {
      to: [recipient.email],
      subject: `@${user.username} downloads many projects`,
      text: [
        `@${user.username} (${user.name}) has downloaded ${count} projects within the period in the settings.`,
        is_banned ? 'The account has been banned.' : 'The account has not been banned.',
        `${ctx.config.url}/-/users`,
      ].join('\n\n'),
    })
  }
}
