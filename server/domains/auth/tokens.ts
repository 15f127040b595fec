import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import { publish } from '../../events/publish.ts'
import { addDays, isoDate } from '../../lib/clock.ts'
import { tokenDigest } from '../../lib/security/crypto.ts'
import { fail, invalid } from '../../lib/fail.ts'
import { settingsOf } from '../settings/index.ts'
import { userById } from '../users/index.ts'
import { TokenCreated, TokenRevoked, TokenRotated } from './events.ts'
import * as store from './store.ts'
import type { TokenRow } from './store.ts'

/** Scopes that a personal access token can have (spec core 7.4); the last two are for administrators. */
export const TOKEN_SCOPES = [
  'api',
  'read_user',
  'read_api',
  'read_repository',
  'write_repository',
  'read_registry',
  'write_registry',
  'sudo',
  'admin_mode',
] as const

/** A token just made: the only time that its text is known. */
export interface NewToken {
  row: TokenRow
  token: string
}

/** What a new token is made of. `expires_at` is a day. */
export interface TokenInput {
  name: string
  scopes: readonly string[]
  expires_at?: string | null | undefined
  /** The token's own text, for the one of the start contract; drawn otherwise. */
  token?: string
  /** Made by an administrator to act as the user. */
  impersonation?: boolean
}

/** Days that the successor of a rotated token lives unless said otherwise (spec core 7.4). */
const ROTATED_DAYS = 7

/** Last day that a new token may have, where the settings bound its life; null for any. */
function lastDay(ctx: Ctx): string | null {
  const days = settingsOf(ctx).max_personal_access_token_lifetime
  return days === null ? null : isoDate(addDays(ctx.now, days))
}

/** What is wrong with the end of a new token; undefined when it can stand. */
function endProblem(ctx: Ctx, expires_at: string | null | undefined): string | undefined {
  if (expires_at && expires_at < isoDate(ctx.now)) return "can't be in the past"
  const last = lastDay(ctx)
  const isAsked = last !== null || settingsOf(ctx).require_personal_access_token_expiry
  if (!expires_at) return isAsked ? "can't be blank" : undefined
  return last !== null && expires_at > last ? `must be no later than ${last}` : undefined
}

/** Throws 403 where people have no personal tokens. Bots, whose tokens are those of projects and groups, keep theirs. */
function checkTokensAllowed(ctx: Ctx, ownerId: number): void {
  if (!settingsOf(ctx).disable_personal_access_tokens) return
  if (userById(ctx.db, ownerId)?.bot === true) return
  throw fail('forbidden', '403 Forbidden - Personal access tokens are disabled.')
}

/** Makes a personal access token of a user. Throws 400 for a blank name, no scopes, or a day that has passed. */
export function createToken(ctx: Ctx, owner: { id: number; is_admin: boolean }, input: TokenInput): NewToken {
  checkTokensAllowed(ctx, owner.id)
  const problems: Record<string, string[]> = {}
  if (input.name.trim() === '') problems['name'] = ["can't be blank"]
  if (input.scopes.length === 0) problems['scopes'] = ["can't be blank"]
  const reserved = input.scopes.some((scope) => scope === 'sudo' || scope === 'admin_mode')
  // An administrator may hand them to anybody: they have an effect for administrators only, when they are used.
  if (reserved && !owner.is_admin && !ctx.actor.is_admin)
    problems['scopes'] = ['can only contain available scopes']
  const wrongEnd = endProblem(ctx, input.expires_at)
  if (wrongEnd !== undefined) problems['expires_at'] = [wrongEnd]
  if (Object.keys(problems).length > 0) throw invalid(problems)
  const token = input.token ?? drawToken(ctx)
  return tx(ctx.db, () => {
    const row = store.insertToken(ctx.db, {
      user_id: owner.id,
      name: input.name,
      digest: tokenDigest(token),
      scopes: JSON.stringify([...new Set(input.scopes)]),
      expires_at: input.expires_at ?? null,
      impersonation: input.impersonation,
      created_at: ctx.now,
    })
    publish(ctx, TokenCreated, { token_id: row.id, user_id: owner.id, actor_id: ctx.actor.id })
    return { row, token }
  })
}

/** The text of a new token: the prefix of the settings and 20 random characters (spec core 8.10). */
function drawToken(ctx: Ctx): string {
  return (settingsOf(ctx).personal_access_token_prefix ?? '') + ctx.random.token(20)
}

/**
 * Revokes a token and makes one like it, which remembers where it came from: should the old one ever be used again, the
 * whole line ends. Throws 400 for a token that does not work any more, or a day that has passed.
 */
export function rotate(ctx: Ctx, old: TokenRow, expires_at?: string): NewToken {
  const today = isoDate(ctx.now)
  if (old.revoked) throw fail('bad_request', '400 Bad request - Token already revoked')
  if (old.expires_at !== null && old.expires_at <= today)
    throw fail('bad_request', '400 Bad request - Token already expired')
  checkTokensAllowed(ctx, old.user_id)
  const last = lastDay(ctx)
  const usual = isoDate(addDays(ctx.now, ROTATED_DAYS))
  const end = expires_at ?? (last !== null && last < usual ? last : usual)
  const wrongEnd = endProblem(ctx, end)
  if (wrongEnd !== undefined) throw invalid({ expires_at: wrongEnd })
  const token = drawToken(ctx)
  return tx(ctx.db, () => {
    store.revokeToken(ctx.db, old.id)
    const row = store.insertToken(ctx.db, {
      user_id: old.user_id,
      name: old.name,
      digest: tokenDigest(token),
      scopes: old.scopes,
      impersonation: old.impersonation,
      previous_id: old.id,
      expires_at: end,
      created_at: ctx.now,
    })
    const { id: token_id, user_id } = row
    publish(ctx, TokenRotated, { token_id, previous_id: old.id, user_id, actor_id: ctx.actor.id })
    return { row, token }
  })
}

/** Revokes a token; it stays in lists as revoked. */
export function revoke(ctx: Ctx, row: TokenRow): void {
  tx(ctx.db, () => {
    store.revokeToken(ctx.db, row.id)
    publish(ctx, TokenRevoked, { token_id: row.id, user_id: row.user_id, actor_id: ctx.actor.id })
  })
}
