import type { Ctx } from '../../../ctx.ts'
import { addDays } from '../../../lib/clock.ts'
import { settingsOf } from '../../settings/index.ts'
import type { UserRow } from '../../users/index.ts'

/** Days to sign in with an unconfirmed address, with the `soft` setting. */
const GRACE_DAYS = 3

/** When new accounts must confirm their address. The older setting means `hard`. */
export function confirmationMode(ctx: Pick<Ctx, 'db' | 'now'>): 'off' | 'soft' | 'hard' {
  const { email_confirmation_setting, send_user_confirmation_email } = settingsOf(ctx)
  if (email_confirmation_setting !== 'off') return email_confirmation_setting
  return send_user_confirmation_email ? 'hard' : 'off'
}

/** True for an account that must confirm its address before signing in. */
export function awaitsConfirmation(ctx: Ctx, user: Pick<UserRow, 'confirmed_at' | 'created_at'>): boolean {
  if (user.confirmed_at !== null) return false
  return confirmationMode(ctx) !== 'soft' || addDays(user.created_at, GRACE_DAYS) <= ctx.now
}
