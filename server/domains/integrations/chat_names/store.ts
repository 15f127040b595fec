import type { Insertable, Selectable } from 'kysely'

import { type Database, q } from '../../../db/database.ts'
import type { ChatNamesTable } from '../../../db/schema.gen.ts'
import type { Bookkeeping } from '../../../lib/bookkeeping.ts'

/** The connection of a chat user with an account, for one integration. */
export type ChatNameRow = Selectable<ChatNamesTable>

/** A connection with its project and chat. */
export interface ChatNameDetails extends ChatNameRow {
  readonly project_id: number
  readonly project_path: string
  readonly slug: string
}

/** Returns the connection of a chat user. Undefined if there is none. */
export function find(
  db: Database,
  integrationId: number,
  teamId: string,
  chatId: string,
): ChatNameRow | undefined {
  return db.one<ChatNameRow>(
    'SELECT * FROM chat_names WHERE integration_id = ? AND team_id = ? AND chat_id = ?',
    integrationId,
    teamId,
    chatId,
  )
}

const SELECT = `SELECT c.*, i.project_id, i.slug, n.full_path || '/' || p.path AS project_path
  FROM chat_names c JOIN integrations i ON i.id = c.integration_id
  JOIN projects p ON p.id = i.project_id JOIN namespaces n ON n.id = p.namespace_id`

/** The maximum number of connections in a list. No user has that many. */
const MAX_CONNECTIONS = 500

/** Lists all connections of a user, newest first. */
export function ofUser(db: Database, userId: number): ChatNameDetails[] {
  return db.many<ChatNameDetails>(
    `${SELECT} WHERE c.user_id = ? ORDER BY c.id DESC LIMIT ${MAX_CONNECTIONS}`,
    userId,
  )
}

/** Stores a connection and replaces an earlier one of the same chat user. */
export function put(db: Database, row: Insertable<ChatNamesTable>): void {
  const { user_id, team_domain, chat_name, created_at } = row
  db.run(
    q
      .insertInto('chat_names')
      .values(row)
      .onConflict((conflict) =>
        conflict
          .columns(['integration_id', 'team_id', 'chat_id'])
          .doUpdateSet({ user_id, team_domain, chat_name, created_at, last_used_at: null }),
      ),
  )
}

/** Deletes a connection of a user. Returns false if there was none. */
export function remove(db: Database, userId: number, id: number): boolean {
  return db.exec('DELETE FROM chat_names WHERE id = ? AND user_id = ?', id, userId).changes > 0
}

/** Records that a connection was used, at most once a minute. */
export function recordUse(bookkeeping: Bookkeeping, id: number, now: string): void {
  bookkeeping.collect(`chat-name:${id}`, 'UPDATE chat_names SET last_used_at = ? WHERE id = ?', now, id)
}
