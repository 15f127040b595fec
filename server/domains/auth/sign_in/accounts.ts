import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { changesOf } from '../../../lib/column-changes.ts'
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
import { UserUpdated } from '../../users/events.ts'
import { settingsOf } from '../../settings/index.ts'
import { confirmationMode } from './confirmation.ts'
import * as store from '../store.ts'

/** Columns of an account that events include with their values. */
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

/** A user together with the personal namespace; both or none. */
export function createAccount(ctx: Ctx, input: NewUserInput): UserRow {
  return tx(ctx.db, () => {
    const user = insertUser(ctx, input)
    createPersonalNamespace(ctx, user)
    return user
  })
}

/**
 * Updates a user with its dependent data: the personal namespace has the same name and path, and a new password ends all
 * sessions except the current one.
 */
export function changeAccount(ctx: Ctx, before: UserRow, changes: Partial<Omit<UserRow, 'id'>>): UserRow {
  return tx(ctx.db, () => {
    const user = updateUser(ctx.db, before.id, { ...changes, updated_at: ctx.now })
    const { id, username, name } = user
    if (username !== before.username || name !== before.name)
      renamePersonalNamespace(ctx, id, { username, name })
    const own = ctx.actor.kind === 'user' ? ctx.actor.session_id : undefined
    if (changes.password_hash !== undefined) store.removeSessionsOf(ctx.db, id, own ?? 0)
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
  const waits = settingsOf(ctx).require_admin_approval_after_user_signup
  const { name, username, email } = input
  return tx(ctx.db, () => {
    return createAccount(ctx, {
      name,
      username,
      email,
      password_hash,
      state: waits ? 'blocked_pending_approval' : 'active',
      ...(confirmationMode(ctx) === 'off' ? {} : { columns: { confirmed_at: null } }),
    })
  })
}
