import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import { publish } from '../../events/publish.ts'
import { fail } from '../../lib/fail.ts'
import { createToken as createUserToken, rotate } from '../auth/index.ts'
import { insertMember } from '../members/index.ts'
import { createBot, retireBot } from './bots.ts'
import { AccessTokenCreated, AccessTokenRemoved } from './events.ts'
import type { TokenOwner } from './owner.ts'
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

function refusal(owner: TokenOwner, verb: string) {
  return fail(
    'bad_request',
    `400 Bad request - User does not have permission to ${verb} ${owner.kind} access token`,
  )
}

/** Throws 400 for a level above the caller's own. */
function checkLevel(owner: TokenOwner, level: number, does: 'creates' | 'rotates'): void {
  if (level <= owner.level) return
  const reason = `Access level of the token cannot be greater than the level of the user who ${does} it`
  throw fail('bad_request', `400 Bad request - ${reason}`)
}

function event(ctx: Ctx, owner: TokenOwner, row: { id: number; user_id: number }) {
  const where = owner.kind === 'project' ? { project_id: owner.id } : { group_id: owner.id }
  return { ...where, token_id: row.id, bot_id: row.user_id, actor_id: ctx.actor.id }
}

/** A token of a project or group. Throws 401 without the right, and 404 `404 project Access Token Not Found`. */
export function getToken(ctx: Pick<Ctx, 'db'>, owner: TokenOwner, id: number): AccessTokenRow {
  if (!owner.manages) throw fail('unauthorized')
  return found(ctx, owner, id)
}

function found(ctx: Pick<Ctx, 'db'>, owner: TokenOwner, id: number): AccessTokenRow {
  const row = store.one(ctx.db, owner, id)
  if (!row) throw fail('not_found', `404 ${owner.kind} Access Token Not Found`)
  return row
}

/**
 * Makes a token and the bot it acts as, a member with the token's level. Throws 400 without the right, for a level above
 * the caller's own, and for values that cannot stand. A bot may not make further ones.
 */
export function createToken(ctx: Ctx, owner: TokenOwner, given: AccessTokenInput): NewAccessToken {
  const isBot = ctx.actor.kind === 'user' && store.botById(ctx.db, ctx.actor.id) !== undefined
  if (!owner.manages || isBot) throw refusal(owner, 'create')
  checkLevel(owner, given.access_level, 'creates')
  return tx(ctx.db, () => {
    const { name, scopes, access_level, expires_at } = given
    const bot = createBot(ctx, owner, name)
    const { row, token } = createUserToken(ctx, { id: bot.id, is_admin: false }, { name, scopes, expires_at })
    insertMember(ctx, owner.members, bot.id, { access_level, expires_at: row.expires_at })
    publish(ctx, AccessTokenCreated, { ...event(ctx, owner, row), access_level })
    return { row: { ...row, access_level }, token }
  })
}

/** Revokes a token and removes its bot. Throws 404 for an unknown one, 400 without the right. */
export function removeToken(
  ctx: Ctx,
  owner: TokenOwner,
  id: number,
  before: (row: AccessTokenRow) => void,
): void {
  if (!owner.manages) throw refusal(owner, 'delete')
  const row = found(ctx, owner, id)
  before(row)
  tx(ctx.db, () => publish(ctx, AccessTokenRemoved, event(ctx, owner, row)))
  retireBot(ctx, row.user_id)
}

/**
 * Puts a new token in the place of one; its bot stays, and its membership ends with the new one. Throws 401 and 404 as
 * above, and 400 for a token above the caller's own level: they would get to see its text.
 */
export function rotateToken(
  ctx: Ctx,
  owner: TokenOwner,
  id: number,
  expiresAt: string | undefined,
): NewAccessToken {
  const old = getToken(ctx, owner, id)
  checkLevel(owner, old.access_level ?? 0, 'rotates')
  return tx(ctx.db, () => {
    const { row, token } = rotate(ctx, old, expiresAt)
    store.extendMembership(ctx.db, old.user_id, row.expires_at)
    return { row: { ...row, access_level: old.access_level }, token }
  })
}
