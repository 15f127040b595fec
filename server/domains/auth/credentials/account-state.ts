import type { Ctx } from '../../../ctx.ts'
import { SERVICE_NAME } from '../../../lib/aliases.ts'
import { fail } from '../../../lib/fail.ts'
import type { UserActor } from '../../../policy/actor.ts'
import { settingsOf } from '../../settings/index.ts'
import type { Identity } from '../store.ts'

/** Columns that decide whether an account can act. */
export interface AccountState {
  readonly username: string
  readonly state: string
  readonly kind: string
  readonly bot: boolean
  readonly password_expires_at: string | null
  readonly accepted_terms_at: string | null
}

const BLOCKED = '403 Forbidden - Your account has been blocked.'

/** Error messages for the states in which an account cannot act (spec core 8.4). */
const STATE_ERRORS: Readonly<Record<string, string>> = {
  blocked: BLOCKED,
  ldap_blocked: BLOCKED,
  banned: BLOCKED,
  blocked_pending_approval:
    '403 Forbidden - Your account is pending approval from your administrator and hence blocked.',
}

/** Throws 403 for an account in a state that cannot act. */
export function checkState(ctx: Ctx, account: AccountState): void {
  const message = STATE_ERRORS[account.state]
  if (message) throw fail('forbidden', message)
  if (account.state === 'deactivated') {
    throw fail(
      'forbidden',
      `403 Forbidden - Your account has been deactivated by your administrator. Please log back in from a web browser to reactivate your account at ${ctx.config.url}`,
    )
  }
}

/** A step that a user must complete in the window before any other request is allowed. */
export type Duty = 'change_password' | 'accept_terms'

/** The pending duty of an account. Bots have none. */
export function dutyOf(ctx: Ctx, account: AccountState): Duty | undefined {
  if (account.bot || account.kind !== 'human') return undefined
  if (account.password_expires_at !== null && account.password_expires_at <= ctx.now) return 'change_password'
  if (account.accepted_terms_at === null && settingsOf(ctx).enforce_terms) return 'accept_terms'
  return undefined
}

/** Throws 403 with the contract's message for an account with a pending duty (spec core 8.4). */
export function checkDuty(ctx: Ctx, account: AccountState): void {
  const duty = dutyOf(ctx, account)
  if (duty === 'change_password') {
    throw fail(
      'forbidden',
      `403 Forbidden - Your password expired. Please access ${SERVICE_NAME} from a web browser to update your password.`,
    )
  }
  if (duty === 'accept_terms') {
    throw fail(
      'forbidden',
      `403 Forbidden - You (@${account.username}) must accept the Terms of Service in order to perform this action. To accept these terms, please access ${SERVICE_NAME} from a web browser at ${ctx.config.url}.`,
    )
  }
}

/** Throws 403 for an account that cannot act because of its state or a pending duty. */
export function checkMayAct(ctx: Ctx, account: AccountState): void {
  checkState(ctx, account)
  checkDuty(ctx, account)
}

/** Returns the actor of a user. */
export function actorOf(
  identity: Identity,
  credential: Pick<UserActor, 'scopes' | 'via' | 'token_id' | 'session_id' | 'sudo_by'>,
): UserActor {
  return {
    kind: 'user',
    id: identity.user_id,
    username: identity.username,
    name: identity.name,
    email: identity.email,
    is_admin: identity.is_admin,
    external: identity.external,
    auditor: identity.is_auditor,
    ...credential,
  }
}
