import type { Ctx } from '../../ctx.ts'
import { publish } from '../../events/facts.ts'
import { hashPassword } from '../../lib/crypto.ts'
import { fail, invalid } from '../../lib/fail.ts'
import { isValidPath, PATH_RULE } from '../../lib/slug.ts'
import { settingsOf } from '../settings/index.ts'
import { UserCreated } from './events.ts'
import * as store from './store.ts'
import type { UserRow } from './store.ts'

const EMAIL = /^[^\s@<>"(),:;[\\\]]+@[^\s@<>"(),:;[\\\]]+$/

/** The problem with a password, in the contract's words; undefined when it is fine. */
function passwordProblem(ctx: Ctx, password: string): string | undefined {
  const least = settingsOf(ctx).minimum_password_length
  if (password.length < least) return `is too short (minimum is ${least} characters)`
  // scrypt would take any length; a megabyte of password is an attack, not a password.
  return password.length > 128 ? 'is too long (maximum is 128 characters)' : undefined
}

/** Checks and hashes a password. Throws 400 `{"message":{"password":["is too short …"]}}`. */
export async function passwordHash(ctx: Ctx, password: string): Promise<string> {
  const problem = passwordProblem(ctx, password)
  if (problem) throw invalid({ password: problem })
  return hashPassword(password, ctx.config.hashCost)
}

/** Throws 400 with every field that cannot stand. */
export function checkIdentity(user: {
  username?: string | undefined
  name?: string | undefined
  email?: string | undefined
}): void {
  const problems: Record<string, string[]> = {}
  if (user.username !== undefined && !isValidPath(user.username, 'top')) problems['username'] = [PATH_RULE]
  if (user.email !== undefined && (!EMAIL.test(user.email) || user.email.length > 254))
    problems['email'] = ['is invalid']
  if (user.name !== undefined && (user.name.trim() === '' || user.name.length > 255)) {
    problems['name'] = [
      user.name.trim() === '' ? "can't be blank" : 'is too long (maximum is 255 characters)',
    ]
  }
  if (Object.keys(problems).length > 0) throw invalid(problems)
}

/** Throws 409 when the address or user name belongs to somebody else. */
export function checkFree(
  ctx: Ctx,
  user: { username?: string | undefined; email?: string | undefined },
  exceptId?: number,
): void {
  const taken = (other: UserRow | undefined): boolean => other !== undefined && other.id !== exceptId
  if (user.email !== undefined && taken(store.byEmail(ctx.db, user.email)))
    throw fail('conflict', 'Email has already been taken')
  if (user.username !== undefined && taken(store.byUsername(ctx.db, user.username)))
    throw fail('conflict', 'Username has already been taken')
}

/** What a new user is given; the settings fill in the rest. */
export interface NewUserInput {
  username: string
  name: string
  email: string
  password_hash: string | null
  state?: string
  is_admin?: boolean
  external?: boolean
  can_create_group?: boolean | undefined
  projects_limit?: number | undefined
  bio?: string | undefined
  location?: string | undefined
  website_url?: string | undefined
  organization?: string | undefined
  note?: string | null | undefined
  private_profile?: boolean | undefined
}

/** Stores a user with the instance's defaults and publishes the fact. Runs inside the caller's transaction. */
export function insertUser(ctx: Ctx, input: NewUserInput): UserRow {
  const settings = settingsOf(ctx)
  const row = store.insert(ctx.db, {
    username: input.username,
    name: input.name,
    email: input.email,
    password_hash: input.password_hash,
    state: input.state ?? 'active',
    is_admin: input.is_admin ? 1 : 0,
    external: (input.external ?? settings.user_default_external) ? 1 : 0,
    can_create_group: (input.can_create_group ?? settings.can_create_group) ? 1 : 0,
    projects_limit: input.projects_limit ?? settings.default_projects_limit,
    bio: input.bio ?? '',
    location: input.location ?? '',
    website_url: input.website_url ?? '',
    organization: input.organization ?? '',
    note: input.note ?? null,
    private_profile: input.private_profile ? 1 : 0,
    confirmed_at: ctx.now,
    created_by_id: ctx.actor.id,
    created_at: ctx.now,
    updated_at: ctx.now,
  })
  publish(ctx, UserCreated, { user_id: row.id, actor_id: ctx.actor.id })
  return row
}
