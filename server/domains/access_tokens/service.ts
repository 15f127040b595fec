import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import { publish } from '../../events/facts.ts'
import { fail } from '../../lib/fail.ts'
import { createToken as createUserToken, rotate } from '../auth/index.ts'
import { insertMember } from '../members/index.ts'
import { createBot, retireBot } from './bots.ts'
import { AccessTokenCreated, AccessTokenRemoved } from './events.ts'
import type { TokenPlace } from './place.ts'
import * as store from './store.ts'
import type { AccessTokenRow } from './store.ts'

/** Scopes that a token of a project or group can have (spec core 7.4). */
export const ACCESS_TOKEN_SCOPES = [
  'api',
  'read_api',
  'read_repository',
  'write_repository',
  'read_registry',
  'write_registry',
] as const

/** What a new token is made of. `expires_at` is a day. */
export interface AccessTokenInput {
  readonly name: string
  readonly scopes: readonly string[]
  readonly access_level: number
  readonly expires_at?: string | null | undefined
}

/** A token just made: the only time that its text is known. */
export interface NewAccessToken {
  readonly row: AccessTokenRow
  readonly token: string
}

function refusal(place: TokenPlace, verb: string) {
  return fail(
    'bad_request',
    `400 Bad request - User does not have permission to ${verb} ${place.kind} access token`,
  )
}

/** Throws 400 for a level above the caller's own. */
function checkLevel(place: TokenPlace, level: number, does: 'creates' | 'rotates'): void {
  if (level <= place.level) return
  const reason = `Access level of the token cannot be greater than the level of the user who ${does} it`
  throw fail('bad_request', `400 Bad request - ${reason}`)
}

function fact(ctx: Ctx, place: TokenPlace, row: { id: number; user_id: number }) {
  const where = place.kind === 'project' ? { project_id: place.id } : { group_id: place.id }
  return { ...where, token_id: row.id, bot_id: row.user_id, actor_id: ctx.actor.id }
}

/** A token of a project or group. Throws 401 without the right, and 404 `404 project Access Token Not Found`. */
export function getToken(ctx: Pick<Ctx, 'db'>, place: TokenPlace, id: number): AccessTokenRow {
  if (!place.manages) throw fail('unauthorized')
  return found(ctx, place, id)
}

function found(ctx: Pick<Ctx, 'db'>, place: TokenPlace, id: number): AccessTokenRow {
  const row = store.one(ctx.db, place, id)
  if (!row) throw fail('not_found', `404 ${place.kind} Access Token Not Found`)
  return row
}

/**
 * Makes a token and the bot it acts as, a member with the token's level. Throws 400 without the right, for a level above
 * the caller's own, and for values that cannot stand. A bot may not make further ones.
 */
export function createToken(ctx: Ctx, place: TokenPlace, given: AccessTokenInput): NewAccessToken {
  const isBot = ctx.actor.kind === 'user' && store.botById(ctx.db, ctx.actor.id) !== undefined
  if (!place.manages || isBot) throw refusal(place, 'create')
  checkLevel(place, given.access_level, 'creates')
  return tx(ctx.db, () => {
    const { name, scopes, access_level, expires_at } = given
    const bot = createBot(ctx, place, name)
    const { row, token } = createUserToken(ctx, { id: bot.id, is_admin: false }, { name, scopes, expires_at })
    insertMember(ctx, place.members, bot.id, { access_level, expires_at: row.expires_at })
    publish(ctx, AccessTokenCreated, { ...fact(ctx, place, row), access_level })
    return { row: { ...row, access_level }, token }
  })
}

/** Revokes a token and removes its bot. Throws 404 for an unknown one, 400 without the right. */
export function removeToken(
  ctx: Ctx,
  place: TokenPlace,
  id: number,
  before: (row: AccessTokenRow) => void,
): void {
  if (!place.manages) throw refusal(place, 'delete')
  const row = found(ctx, place, id)
  before(row)
  tx(ctx.db, () => publish(ctx, AccessTokenRemoved, fact(ctx, place, row)))
  retireBot(ctx, row.user_id)
}

/**
 * Puts a new token in the place of one; its bot stays, and its membership ends with the new one. Throws 401 and 404 as
 * above, and 400 for a token above the caller's own level: they would get to see its text.
 */
export function rotateToken(
  ctx: Ctx,
  place: TokenPlace,
  id: number,
  expiresAt: string | undefined,
): NewAccessToken {
  const old = getToken(ctx, place, id)
  checkLevel(place, old.access_level ?? 0, 'rotates')
  return tx(ctx.db, () => {
    const { row, token } = rotate(ctx, old, expiresAt)
    store.extendMembership(ctx.db, old.user_id, row.expires_at)
    return { row: { ...row, access_level: old.access_level }, token }
  })
}
