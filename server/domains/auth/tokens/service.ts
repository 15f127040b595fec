import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { addDays, isoDate } from '../../../lib/clock.ts'
import { tokenDigest } from '../../../lib/security/crypto.ts'
import { fail, invalid } from '../../../lib/fail.ts'
import { settingsOf } from '../../settings/index.ts'
import { userById } from '../../users/index.ts'
import { TokenCreated, TokenRevoked, TokenRotated } from '../events.ts'
import * as store from '../store.ts'
import type { TokenRow } from '../store.ts'

/** Scopes of personal access tokens (spec core 7.4, ci 1.4). The last two are for administrators. */
export const TOKEN_SCOPES = [
  'api',
  'read_user',
  'read_api',
  'read_repository',
  'write_repository',
  'read_registry',
  'write_registry',
  'create_runner',
  'sudo',
  'admin_mode',
] as const

/** A new token with its plain text. The database has only a digest of it. */
export interface NewToken {
  row: TokenRow
  token: string
}

/** Fields of a new token. `expires_at` is a date. */
export interface TokenInput {
  name: string
  scopes: readonly string[]
  expires_at?: string | null | undefined
  /** The plain text of the token; random by default. */
  token?: string
  /** Whether an administrator creates the token to act as the user. */
  impersonation?: boolean
}

/** Default lifetime of the successor of a rotated token in days (spec core 7.4). */
const ROTATED_DAYS = 7

/** Returns the latest expiry date that the settings allow for a new token; null without a limit. */
function latestExpiry(ctx: Ctx): string | null {
  const days = settingsOf(ctx).max_personal_access_token_lifetime
  return days === null ? null : isoDate(addDays(ctx.now, days))
}

/** Returns the error for an invalid expiry date of a new token; undefined for a valid one. */
function expiryProblem(ctx: Ctx, expires_at: string | null | undefined): string | undefined {
  if (expires_at && expires_at < isoDate(ctx.now)) return "can't be in the past"
  const last = latestExpiry(ctx)
  const isRequired = last !== null || settingsOf(ctx).require_personal_access_token_expiry
  if (!expires_at) return isRequired ? "can't be blank" : undefined
  return last !== null && expires_at > last ? `must be no later than ${last}` : undefined
}

/** Throws 403 if personal access tokens are disabled. Tokens of projects and groups (bots) are not affected. */
function checkTokensAllowed(ctx: Ctx, ownerId: number): void {
  if (!settingsOf(ctx).disable_personal_access_tokens) return
  if (userById(ctx.db, ownerId)?.bot === true) return
  throw fail('forbidden', '403 Forbidden - Personal access tokens are disabled.')
}

/**
 * Creates a personal access token of a user. Throws 400 for invalid fields, 403 if personal access tokens are
 * disabled.
 */
export function createToken(ctx: Ctx, owner: { id: number; is_admin: boolean }, input: TokenInput): NewToken {
  checkTokensAllowed(ctx, owner.id)
  const problems: Record<string, string[]> = {}
  if (input.name.trim() === '') problems['name'] = ["can't be blank"]
  if (input.scopes.length === 0) problems['scopes'] = ["can't be blank"]
  const hasAdminScope = input.scopes.some((scope) => scope === 'sudo' || scope === 'admin_mode')
  // Administrators can give these scopes to any user. They only have an effect for administrators.
  if (hasAdminScope && !owner.is_admin && !ctx.actor.is_admin)
    problems['scopes'] = ['can only contain available scopes']
  const expiryError = expiryProblem(ctx, input.expires_at)
  if (expiryError !== undefined) problems['expires_at'] = [expiryError]
  if (Object.keys(problems).length > 0) throw invalid(problems)
  const token = input.token ?? generateToken(ctx)
  return tx(ctx.db, () => {
    const row = store.insertToken(ctx.db, {
      user_id: owner.id,
      name: input.name,
      digest: tokenDigest(token),
      scopes: [...new Set(input.scopes)],
      expires_at: input.expires_at ?? null,
      impersonation: input.impersonation,
      created_at: ctx.now,
    })
    publish(ctx, TokenCreated, { token_id: row.id, user_id: owner.id, actor_id: ctx.actor.id })
    return { row, token }
  })
}

/** Returns the plain text of a new token: the prefix of the settings and 20 random characters (spec core 8.10). */
function generateToken(ctx: Ctx): string {
  return (settingsOf(ctx).personal_access_token_prefix ?? '') + ctx.random.token(20)
}

/**
 * Revokes a token and creates a successor. The successor refers to the old token: if that is used again, all its
 * successors are revoked. Throws 400 for an inactive token or an invalid date.
 */
export function rotate(ctx: Ctx, old: TokenRow, expires_at?: string): NewToken {
  const today = isoDate(ctx.now)
  if (old.revoked) throw fail('bad_request', '400 Bad request - Token already revoked')
  if (old.expires_at !== null && old.expires_at <= today)
    throw fail('bad_request', '400 Bad request - Token already expired')
  checkTokensAllowed(ctx, old.user_id)
  const last = latestExpiry(ctx)
  const defaultExpiry = isoDate(addDays(ctx.now, ROTATED_DAYS))
  const expiry = expires_at ?? (last !== null && last < defaultExpiry ? last : defaultExpiry)
  const expiryError = expiryProblem(ctx, expiry)
  if (expiryError !== undefined) throw invalid({ expires_at: expiryError })
  const token = generateToken(ctx)
  return tx(ctx.db, () => {
    store.revokeToken(ctx.db, old.id)
    const row = store.insertToken(ctx.db, {
      user_id: old.user_id,
      name: old.name,
      digest: tokenDigest(token),
      scopes: old.scopes,
      impersonation: old.impersonation,
      previous_id: old.id,
      expires_at: expiry,
      created_at: ctx.now,
    })
    const { id: token_id, user_id } = row
    publish(ctx, TokenRotated, { token_id, previous_id: old.id, user_id, actor_id: ctx.actor.id })
    return { row, token }
  })
}

/** Revokes a token. It remains in lists as revoked. */
export function revoke(ctx: Ctx, row: TokenRow): void {
  tx(ctx.db, () => {
    store.revokeToken(ctx.db, row.id)
    publish(ctx, TokenRevoked, { token_id: row.id, user_id: row.user_id, actor_id: ctx.actor.id })
  })
}

/** Returns the id of the user with this token. */
export function tokenOwner(ctx: Pick<Ctx, 'db'>, token: string): number | undefined {
  return store.tokenIdentity(ctx.db, tokenDigest(token))?.user_id
}
