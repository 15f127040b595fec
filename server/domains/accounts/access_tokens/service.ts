import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { publish } from '../../../events/publish.ts'
import { fail } from '../../../lib/fail.ts'
import { createToken as createUserToken, rotate } from '../../auth/index.ts'
import { insertMember, extendMembership } from '../../members/index.ts'
import { AccessTokenCreated, AccessTokenRemoved } from '../events.ts'
import type { TokenOwner } from '../policy.ts'
import * as store from './store.ts'
import type { AccessTokenRow } from './store.ts'
import { isoDate } from '../../../lib/clock.ts'
import { deleteUser } from '../deletion/service.ts'
import { MemberRemoved } from '../../members/events.ts'
import { insertUser, userById, type UserRow } from '../../users/index.ts'

/** Scopes of project and group access tokens (spec core 7.4). */
export const ACCESS_TOKEN_SCOPES = [
  'api',
  'read_api',
  'read_repository',
  'write_repository',
  'read_registry',
  'write_registry',
] as const

/** Fields of a new token. `expires_at` is a date. */
export interface AccessTokenInput {
  readonly name: string
  readonly scopes: readonly string[]
  readonly access_level: number
  readonly expires_at?: string | null | undefined
}

/** A new token with its plain text. The database has only a digest of it. */
export interface NewAccessToken {
  readonly row: AccessTokenRow
  readonly token: string
}

function permissionError(owner: TokenOwner, verb: string) {
  return fail(
    'bad_request',
    `400 Bad request - User does not have permission to ${verb} ${owner.kind} access token`,
  )
}

/** Throws 400 for a role above the caller's own. */
function checkLevel(owner: TokenOwner, level: number, verb: 'creates' | 'rotates'): void {
  if (level <= owner.level) return
  const reason = `Access level of the token cannot be greater than the level of the user who ${verb} it`
  throw fail('bad_request', `400 Bad request - ${reason}`)
}

function eventFields(ctx: Ctx, owner: TokenOwner, row: { id: number; user_id: number }) {
  const ownerIds = owner.kind === 'project' ? { project_id: owner.id } : { group_id: owner.id }
  return { ...ownerIds, token_id: row.id, bot_id: row.user_id, actor_id: ctx.actor.id }
}

/** Returns a token of a project or group. Throws 401 without permission, and `404 project Access Token Not Found`. */
export function getToken(ctx: Pick<Ctx, 'db'>, owner: TokenOwner, id: number): AccessTokenRow {
  if (!owner.manages) throw fail('unauthorized')
  return findToken(ctx, owner, id)
}

function findToken(ctx: Pick<Ctx, 'db'>, owner: TokenOwner, id: number): AccessTokenRow {
  const row = store.tokenById(ctx.db, owner, id)
  if (!row) throw fail('not_found', `404 ${owner.kind} Access Token Not Found`)
  return row
}

/**
 * Creates a token and its bot user, which becomes a member with the token's role. Throws 400 without permission, for
 * a role above the caller's own, and for invalid values. Bots cannot create tokens.
 */
export function createToken(ctx: Ctx, owner: TokenOwner, input: AccessTokenInput): NewAccessToken {
  const isBot = ctx.actor.kind === 'user' && store.botById(ctx.db, ctx.actor.id) !== undefined
  if (!owner.manages || isBot) throw permissionError(owner, 'create')
  checkLevel(owner, input.access_level, 'creates')
  return tx(ctx.db, () => {
    const { name, scopes, access_level, expires_at } = input
    const bot = createBot(ctx, owner, name)
    const { row, token } = createUserToken(ctx, { id: bot.id, is_admin: false }, { name, scopes, expires_at })
    insertMember(ctx, owner.members, bot.id, { access_level, expires_at: row.expires_at })
    publish(ctx, AccessTokenCreated, { ...eventFields(ctx, owner, row), access_level })
    return { row: { ...row, access_level }, token }
  })
}

/**
 * Revokes a token and deletes its bot. `before` runs after the checks. Throws 404 for an unknown token, 400 without
 * permission.
 */
export function removeToken(
  ctx: Ctx,
  owner: TokenOwner,
  id: number,
  before: (row: AccessTokenRow) => void,
): void {
  if (!owner.manages) throw permissionError(owner, 'delete')
  const row = findToken(ctx, owner, id)
  before(row)
  tx(ctx.db, () => publish(ctx, AccessTokenRemoved, eventFields(ctx, owner, row)))
  deleteBot(ctx, row.user_id)
}

/**
 * Rotates a token. Its bot stays, and the bot's membership expires with the new token. Throws 401 without permission,
 * 404 for an unknown token, and 400 for a token with a role above the caller's own, because the caller receives the
 * new token.
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
    extendMembership(ctx.db, old.user_id, row.expires_at)
    return { row: { ...row, access_level: old.access_level }, token }
  })
}

/** Creates the bot of a token: `project_<id>_bot`, then `project_<id>_bot1` and so on (spec core 7.4). */
export function createBot(ctx: Ctx, owner: TokenOwner, name: string): UserRow {
  const { kind, id } = owner
  const { username, email } = unusedNames(ctx, kind, id)
  return insertUser(ctx, {
    username,
    name,
    email,
    password_hash: null,
    // Bots are external users, so that they cannot see internal projects.
    external: true,
    can_create_group: false,
    projects_limit: 0,
    columns: {
      bot: true,
      kind: 'project_bot',
      ...(kind === 'project' ? { bot_project_id: id } : { bot_namespace_id: id }),
    },
  })
}

function unusedNames(ctx: Ctx, kind: string, id: number): { username: string; email: string } {
  const { hostname } = new URL(ctx.config.url)
  for (let count = 0; ; count++) {
    const number = count === 0 ? '' : String(count)
    const username = `${kind}_${id}_bot${number}`
    const email = `${kind}${id}_bot${number}@noreply.${hostname}`
    if (!store.isTaken(ctx.db, username, email)) return { username, email }
  }
}

/**
 * Deletes a bot like any user: its tokens are revoked, its membership is removed, and its contributions move to the
 * ghost user.
 */
export function deleteBot(ctx: Ctx, botId: number): void {
  tx(ctx.db, () => {
    const user = userById(ctx.db, botId)
    for (const { project_id, namespace_id, ...membership } of store.membershipsOf(ctx.db, botId)) {
      const ownerIds = project_id === null ? { group_id: namespace_id! } : { project_id }
      publish(ctx, MemberRemoved, {
        ...ownerIds,
        ...membership,
        user_id: botId,
        ...(user ? { user } : {}),
        actor_id: ctx.actor.id,
        cause: 'removed',
        unassign_issuables: true,
      })
    }
    deleteUser(ctx, botId, { isHard: false, actor_id: ctx.actor.id })
  })
}

/** Deletes the bots of deleted projects and groups. */
export function deleteOrphanedBots(ctx: Ctx): void {
  for (const { id } of store.orphanedBots(ctx.db)) deleteBot(ctx, id)
}

/** Deletes a bot after its last token was revoked. */
export function deleteBotIfUnused(ctx: Ctx, userId: number): void {
  const bot = store.botById(ctx.db, userId)
  if (bot && !store.hasActiveToken(ctx.db, bot.id, isoDate(ctx.now))) deleteBot(ctx, bot.id)
}

/** Extends the membership of a bot to the expiry date of its new token. */
export function extendBotMembership(ctx: Ctx, userId: number, tokenId: number): void {
  const activeToken = store.botById(ctx.db, userId) && store.expiryOfActiveToken(ctx.db, tokenId)
  if (activeToken) extendMembership(ctx.db, userId, activeToken.expires_at)
}
