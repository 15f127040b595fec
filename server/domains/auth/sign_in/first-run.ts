import { statfsSync } from 'node:fs'
import { userInfo } from 'node:os'

import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { addDays, isoDate } from '../../../lib/clock.ts'
import { fail, Failure, StartupError } from '../../../lib/fail.ts'
import { gitIdentity } from '../../../lib/git-identity.ts'
import { isValidPath, slugify } from '../../../lib/text/slug.ts'
import {
  checkFree,
  checkIdentity,
  firstAdmin,
  hasUsers,
  passwordHash,
  type PasswordOwner,
  type UserRow,
} from '../../users/index.ts'
import type { FirstRunState } from '../entity.ts'
import { changeAccount, createAccount } from './accounts.ts'
import { isFirstRun } from '../credentials/sessions.ts'
import { createToken, TOKEN_SCOPES, type NewToken } from '../tokens/service.ts'

const ROOT: PasswordOwner = { username: 'root', name: 'Administrator', email: 'admin@example.com' }

/** Creates the first administrator, `root`, if the instance has no users. */
export async function ensureRoot(
  ctx: Ctx,
  input: { password: string | undefined; token: string | undefined },
): Promise<void> {
  if (hasUsers(ctx.db)) return
  const password_hash =
    input.password === undefined ? null : await rootPasswordHash(ctx, input.password, ROOT)
  tx(ctx.db, () => {
    const root = createAccount(ctx, { ...ROOT, password_hash, is_admin: true })
    if (input.token === undefined) return
    createToken(
      ctx,
      { id: root.id, is_admin: true },
      { name: 'start', scopes: TOKEN_SCOPES, token: input.token },
    )
  })
}

async function rootPasswordHash(ctx: Ctx, password: string, root: PasswordOwner): Promise<string> {
  try {
    return await passwordHash(ctx, password, root)
  } catch (error) {
    const texts = error instanceof Failure ? Object.values(error.detail ?? {}).flat() : []
    if (texts.length === 0) throw error
    throw new StartupError(`The password given for root ${texts.join(' and ')}.`)
  }
}

/**
 * Returns the administrator without a password that the first run sets up. Throws 409 if the instance is set up
 * already.
 */
function firstRunAdmin(ctx: Ctx): UserRow {
  const user = firstAdmin(ctx.db)
  if (!user || !isFirstRun(ctx)) throw fail('conflict', 'This instance is already set up.')
  return user
}

function systemUserName(): string {
  try {
    return userInfo().username
  } catch {
    return ''
  }
}

/** Returns suggested values for the first run, from the git configuration of the system user if there is one. */
export function firstRunSuggestions(ctx: Ctx): FirstRunState {
  const user = firstRunAdmin(ctx)
  const { name, email } = gitIdentity()
  const login = slugify(name.split(/\s+/)[0] ?? '') || slugify(systemUserName())
  const disk = statfsSync(ctx.config.dataDir)
  return {
    name: name || user.name,
    username: isValidPath(login, 'top') ? login : user.username,
    email: email || user.email,
    source: name || email ? 'git config' : null,
    data_dir: ctx.config.dataDir,
    data_dir_bytes_free: disk.bavail * disk.bsize,
    git_version: ctx.config.gitVersion,
    url: ctx.config.url,
  }
}

/** Completes the first run: sets the name and password of the administrator, and creates a token for clients. */
export async function completeFirstRun(
  ctx: Ctx,
  input: { name: string; username: string; email: string; password: string },
): Promise<{ user: UserRow; token: NewToken }> {
  const before = firstRunAdmin(ctx)
  checkIdentity(input)
  checkFree(ctx, input, before.id)
  const password_hash = await passwordHash(ctx, input.password, input)
  return tx(ctx.db, () => {
    // The transaction loads the administrator again, because two windows may submit at the same time.
    const { name, username, email } = input
    const user = changeAccount(ctx, firstRunAdmin(ctx), { name, username, email, password_hash })
    const { id } = user
    const token = createToken(
      ctx,
      { id, is_admin: true },
      { name: 'First token', scopes: TOKEN_SCOPES, expires_at: isoDate(addDays(ctx.now, 365)) },
    )
    return { user, token }
  })
}
