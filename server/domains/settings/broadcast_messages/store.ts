import type { Selectable, Updateable } from 'kysely'

import { q, type Database } from '../../../db/database.ts'
import type { BroadcastMessagesTable } from '../../../db/schema.gen.ts'
import { table } from '../../../db/table.ts'

/** A broadcast message, as stored. */
export type MessageRow = Selectable<BroadcastMessagesTable>
export type MessageColumns = Updateable<Omit<BroadcastMessagesTable, 'id'>>

export function list(
  db: Database,
  paging: { limit: number; offset: number },
): { rows: MessageRow[]; total: number } {
  const query = q.selectFrom('broadcast_messages').selectAll().orderBy('id', 'desc')
  const rows = db.all(query.limit(paging.limit).offset(paging.offset))
  const { count } = db.one<{ count: number }>('SELECT count(*) AS count FROM broadcast_messages')!
  return { rows, total: count }
}

/** Messages that are shown at a time or later: few, so that the window knows when to show them. */
export function notOver(db: Database, now: string): MessageRow[] {
  return db.many<MessageRow>(
    'SELECT * FROM broadcast_messages WHERE ends_at > ? ORDER BY ends_at, id LIMIT 100',
    now,
  )
}

export const { byId, insert, update, remove } = table('broadcast_messages')
