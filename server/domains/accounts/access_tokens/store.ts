import type { Selectable } from 'kysely'

import { sql, type RawBuilder } from 'kysely'

import type { Database } from '../../../db/database.ts'
import { boundedCount, selectAll } from '../../../db/lists.ts'
import type { Rows } from '../../../db/rows.ts'
import type { PersonalAccessTokensTable } from '../../../db/schema.gen.ts'
import type { TokenOwner } from '../policy.ts'

/** A token of a bot, with the bot's access level; null if the bot is no longer a member. */
export type AccessTokenRow = Selectable<PersonalAccessTokensTable> & { readonly access_level: number | null }

/** A bot with its project or group. Both are null if the owner was deleted. */
export interface BotRow {
  readonly id: number
  readonly bot_project_id: number | null
  readonly bot_namespace_id: number | null
}

type OwnerId = Pick<TokenOwner, 'kind' | 'id'>

function tokensFrom({ kind, id }: OwnerId): RawBuilder<unknown> {
  const [bot, member] =
    kind === 'project' ? ['bot_project_id', 'project_id'] : ['bot_namespace_id', 'namespace_id']
  return sql`FROM users u JOIN personal_access_tokens t ON t.user_id = u.id AND t.impersonation = 0
    LEFT JOIN members m ON m.user_id = u.id AND ${sql.ref(`m.${member}`)} = ${id}
    WHERE ${sql.ref(`u.${bot}`)} = ${id}`
}

/** Returns one page of the tokens of an owner, the oldest first. */
export function list(
  db: Database,
  owner: OwnerId,
  { limit, offset }: { limit: number; offset: number },
): Rows<AccessTokenRow> {
  const from = tokensFrom(owner)
  const rows = selectAll(
    db,
    sql<AccessTokenRow>`SELECT t.*, m.access_level ${from} ORDER BY t.id LIMIT ${limit} OFFSET ${offset}`,
  )
  return { rows, total: boundedCount(db, sql`SELECT t.id ${from}`) }
}

export function tokenById(db: Database, owner: OwnerId, id: number): AccessTokenRow | undefined {
  return selectAll(
    db,
    sql<AccessTokenRow>`SELECT t.*, m.access_level ${tokensFrom(owner)} AND t.id = ${id}`,
  )[0]
}

/** Returns true if a user has the user name or the email address. */
export function isTaken(db: Database, username: string, email: string): boolean {
  return (
    db.one(
      'SELECT 1 FROM users WHERE username = ? UNION ALL SELECT 1 FROM users WHERE email = ?',
      username,
      email,
    ) !== undefined
  )
}

export function botById(db: Database, id: number): BotRow | undefined {
  return db.one(
    "SELECT id, bot_project_id, bot_namespace_id FROM users WHERE id = ? AND kind = 'project_bot'",
    id,
  )
}

/** Returns the bots of deleted projects and groups. */
export function orphanedBots(db: Database): BotRow[] {
  return db.many(
    `SELECT id, bot_project_id, bot_namespace_id FROM users
     WHERE kind = 'project_bot' AND bot_project_id IS NULL AND bot_namespace_id IS NULL LIMIT 1000`,
  )
}

/** Returns true if the bot has an active token. */
export function hasActiveToken(db: Database, botId: number, today: string): boolean {
  return (
    db.one(
      'SELECT 1 FROM personal_access_tokens WHERE user_id = ? AND revoked = 0 AND (expires_at IS NULL OR expires_at > ?)',
      botId,
      today,
    ) !== undefined
  )
}

/** Returns the direct memberships of a bot. */
export function membershipsOf(db: Database, botId: number) {
  return db.many<{
    project_id: number | null
    namespace_id: number | null
    access_level: number
    expires_at: string | null
    created_at: string
  }>(
    'SELECT project_id, namespace_id, access_level, expires_at, created_at FROM members WHERE user_id = ?',
    botId,
  )
}

/** Returns the expiry of an active token; undefined for an inactive one. */
export function expiryOfActiveToken(db: Database, id: number): { expires_at: string | null } | undefined {
  return db.one('SELECT expires_at FROM personal_access_tokens WHERE id = ? AND revoked = 0', id)
}
