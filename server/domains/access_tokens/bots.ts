import type { Ctx } from '../../ctx.ts'
import { tx } from '../../db/database.ts'
import { publish } from '../../events/publish.ts'
import { isoDate } from '../../lib/clock.ts'
import { deleteUser } from '../accounts/index.ts'
import { MemberRemoved } from '../members/events.ts'
import { insertUser, userById, type UserRow } from '../users/index.ts'
import type { TokenOwner } from './owner.ts'
import * as store from './store.ts'

/** Makes the user that a token acts as: `project_<id>_bot`, then `project_<id>_bot1` and so on (spec core 7.4). */
export function createBot(ctx: Ctx, owner: TokenOwner, name: string): UserRow {
  const { kind, id } = owner
  const { username, email } = freeNames(ctx, kind, id)
  return insertUser(ctx, {
    username,
    name,
    email,
    password_hash: null,
    // Internal projects are for people who belong to the instance.
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

function freeNames(ctx: Ctx, kind: string, id: number): { username: string; email: string } {
  const { hostname } = new URL(ctx.config.url)
  for (let count = 0; ; count++) {
    const number = count === 0 ? '' : String(count)
    const username = `${kind}_${id}_bot${number}`
    const email = `${kind}${id}_bot${number}@noreply.${hostname}`
    if (!store.isTaken(ctx.db, username, email)) return { username, email }
  }
}

/**
 * Takes a bot out of service: its tokens end, it leaves what it stood for, and then it is deleted as any user is. What it
 * wrote goes to the ghost.
 */
export function retireBot(ctx: Ctx, botId: number): void {
  tx(ctx.db, () => {
    const user = userById(ctx.db, botId)
    for (const { project_id, namespace_id, ...was } of store.membershipsOf(ctx.db, botId)) {
      const where = project_id === null ? { group_id: namespace_id! } : { project_id }
      publish(ctx, MemberRemoved, {
        ...where,
        ...was,
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

/** Retires bots whose project or group is gone. */
export function retireOrphans(ctx: Ctx): void {
  for (const { id } of store.orphanedBots(ctx.db)) retireBot(ctx, id)
}

/** Retires a bot whose last token was revoked. */
export function retireIfUnused(ctx: Ctx, userId: number): void {
  const bot = store.botById(ctx.db, userId)
  if (bot && !store.hasLiveToken(ctx.db, bot.id, isoDate(ctx.now))) retireBot(ctx, bot.id)
}

/** A bot whose token was rotated belongs where it does for as long as the new one works. */
export function stayWithToken(ctx: Ctx, userId: number, tokenId: number): void {
  const end = store.botById(ctx.db, userId) && store.endOfLiveToken(ctx.db, tokenId)
  if (end) store.extendMembership(ctx.db, userId, end.expires_at)
}
