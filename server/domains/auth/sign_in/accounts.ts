import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { addDays } from '../../../lib/clock.ts'
import { changesOf } from '../../../lib/column-changes.ts'
import { fail } from '../../../lib/fail.ts'
import { createPersonalNamespace, renamePersonalNamespace } from '../../namespaces/index.ts'
import {
  checkEmailAllowed,
  checkFree,
  checkIdentity,
  insertUser,
  passwordHash,
  updateUser,
  type NewUserInput,
  type UserRow,
} from '../../users/index.ts'
import { UserUpdated, UserStateChanged } from '../../users/events.ts'
import { settingsOf } from '../../settings/index.ts'
import { checkState } from '../credentials/account-state.ts'
import { limitFailures, type Attempt } from '../credentials/throttle.ts'
import { SignInRefused } from '../events.ts'
import * as store from '../store.ts'
import { userByPassword } from './passwords.ts'

/** With the mode `soft`, users can sign in without a confirmed address for this number of days. */
const GRACE_DAYS = 3

/** Returns whether new accounts must confirm their address: not at all, within a few days, or before they sign in. */
export function confirmationMode(ctx: Pick<Ctx, 'db' | 'now'>): 'off' | 'soft' | 'hard' {
  const { email_confirmation_setting, send_user_confirmation_email } = settingsOf(ctx)
  if (email_confirmation_setting !== 'off') return email_confirmation_setting
  // The deprecated setting means `hard`.
  return send_user_confirmation_email ? 'hard' : 'off'
}

/** Returns true for an account that must confirm its address before it can sign in. */
export function mustConfirmEmail(ctx: Ctx, user: Pick<UserRow, 'confirmed_at' | 'created_at'>): boolean {
  if (user.confirmed_at !== null) return false
  return confirmationMode(ctx) !== 'soft' || addDays(user.created_at, GRACE_DAYS) <= ctx.now
}

/** Columns of an account that events publish with their values. */
const PUBLISHED = [
  'name',
  'username',
  'email',
  'is_admin',
  'is_auditor',
  'external',
  'can_create_group',
  'projects_limit',
]

/** Creates a user and their personal namespace in one transaction. */
export function createAccount(ctx: Ctx, input: NewUserInput): UserRow {
  return tx(ctx.db, () => {
    const user = insertUser(ctx, input)
    createPersonalNamespace(ctx, user)
    return user
  })
}

/**
 * Updates a user and what depends on the changed columns: the personal namespace is renamed with the user, and a new
 * password ends all sessions except the current one.
 */
export function changeAccount(ctx: Ctx, before: UserRow, changes: Partial<Omit<UserRow, 'id'>>): UserRow {
  return tx(ctx.db, () => {
    const user = updateUser(ctx.db, before.id, { ...changes, updated_at: ctx.now })
    const { id, username, name } = user
    if (username !== before.username || name !== before.name)
      renamePersonalNamespace(ctx, id, { username, name })
    const currentSession = ctx.actor.kind === 'user' ? ctx.actor.session_id : undefined
    if (changes.password_hash !== undefined) store.removeSessionsOf(ctx.db, id, currentSession ?? 0)
    publish(ctx, UserUpdated, {
      user_id: id,
      changed: Object.keys(changes),
      ...changesOf(PUBLISHED, before, user),
      actor_id: ctx.actor.id,
      ...(username === before.username ? {} : { old_username: before.username }),
    })
    return user
  })
}

/** Signs a user up. The account waits for approval if the settings require it. */
export async function register(
  ctx: Ctx,
  input: { name: string; username: string; email: string; password: string },
): Promise<UserRow> {
  checkIdentity(input)
  checkEmailAllowed(ctx, input.email)
  const password_hash = await passwordHash(ctx, input.password, input)
  checkFree(ctx, input)
  const requiresApproval = settingsOf(ctx).require_admin_approval_after_user_signup
  const { name, username, email } = input
  return tx(ctx.db, () => {
    return createAccount(ctx, {
      name,
      username,
      email,
      password_hash,
      state: requiresApproval ? 'blocked_pending_approval' : 'active',
      ...(confirmationMode(ctx) === 'off' ? {} : { columns: { confirmed_at: null } }),
    })
  })
}

/**
 * Returns the user of a login and password for the window. A deactivated account becomes active. Throws 401 for a
 * wrong login or password, 403 for an account that cannot sign in, 429 for an IP address with too many failures.
 */
export async function signInByPassword(
  ctx: Ctx,
  from: Attempt,
  credentials: { login: string; password: string },
): Promise<UserRow> {
  const user = await limitFailures(ctx, from, async () => {
    const account = await userByPassword(ctx, { ...credentials, ip: from.ip })
    if (!account) throw fail('unauthorized', 'Invalid login or password.')
    return account
  })
  if (user.state === 'deactivated') return reactivate(ctx, user)
  checkStateAtSignIn(ctx, user)
  if (mustConfirmEmail(ctx, user))
    throw fail('forbidden', '403 Forbidden - You have to confirm your email address before continuing.')
  return user
}

/**
 * Throws 403 for a blocked account, and publishes the attempt, because the password was correct (spec administration
 * 3.10).
 */
function checkStateAtSignIn(ctx: Ctx, user: UserRow): void {
  try {
    checkState(ctx, user)
  } catch (error) {
    tx(ctx.db, () => publish(ctx, SignInRefused, { user_id: user.id, state: user.state }))
    throw error
  }
}

function reactivate(ctx: Ctx, { id, state }: UserRow): UserRow {
  return tx(ctx.db, () => {
    const user = updateUser(ctx.db, id, { state: 'active', updated_at: ctx.now })
    publish(ctx, UserStateChanged, { user_id: id, from: state, to: 'active', actor_id: id })
    return user
  })
}
