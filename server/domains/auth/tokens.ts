import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import { publish } from '../../events/facts.ts'
import { isoDate } from '../../lib/clock.ts'
import { tokenDigest } from '../../lib/crypto.ts'
import { invalid } from '../../lib/fail.ts'
import { settingsOf } from '../settings/index.ts'
import { TokenCreated, TokenRevoked } from './events.ts'
import * as store from './store.ts'
import type { TokenRow } from './store.ts'

/** Scopes that a personal access token can have (spec core 7.4); the last two are for administrators. */
export const TOKEN_SCOPES = [
  'api',
  'read_user',
  'read_api',
  'read_repository',
  'write_repository',
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
}

/** Makes a personal access token of a user. Throws 400 for a blank name, no scopes, or a day that has passed. */
export function createToken(ctx: Ctx, owner: { id: number; is_admin: boolean }, input: TokenInput): NewToken {
  const problems: Record<string, string[]> = {}
  if (input.name.trim() === '') problems['name'] = ["can't be blank"]
  if (input.scopes.length === 0) problems['scopes'] = ["can't be blank"]
  const reserved = input.scopes.some((scope) => scope === 'sudo' || scope === 'admin_mode')
  if (reserved && !owner.is_admin) problems['scopes'] = ['can only contain available scopes']
  if (input.expires_at && input.expires_at < isoDate(ctx.now))
    problems['expires_at'] = ["can't be in the past"]
  if (Object.keys(problems).length > 0) throw invalid(problems)
  const token = input.token ?? (settingsOf(ctx).personal_access_token_prefix ?? '') + ctx.random.token(20)
  return tx(ctx.db, () => {
    const row = store.insertToken(ctx.db, {
      user_id: owner.id,
      name: input.name,
      digest: tokenDigest(token),
      scopes: JSON.stringify([...new Set(input.scopes)]),
      expires_at: input.expires_at ?? null,
      created_at: ctx.now,
    })
    publish(ctx, TokenCreated, { token_id: row.id, user_id: owner.id, actor_id: ctx.actor.id })
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
