import type { Insertable, Selectable, Updateable } from 'kysely'

import { q, type Database } from '../../../db/database.ts'
import type { BroadcastMessagesTable } from '../../../db/schema.gen.ts'

/** A message to everybody, as stored. */
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

/** Those that are shown at a moment, and those that will be: few, so that the window knows when to show them. */
export function notOver(db: Database, now: string): MessageRow[] {
  return db.many<MessageRow>(
    'SELECT * FROM broadcast_messages WHERE ends_at > ? ORDER BY ends_at, id LIMIT 100',
    now,
  )
}

export function byId(db: Database, id: number): MessageRow | undefined {
  return db.one<MessageRow>('SELECT * FROM broadcast_messages WHERE id = ?', id)
}

export function insert(db: Database, row: Insertable<BroadcastMessagesTable>): MessageRow {
  return db.get(q.insertInto('broadcast_messages').values(row).returningAll())!
}

export function update(db: Database, id: number, columns: MessageColumns): MessageRow {
  return db.get(q.updateTable('broadcast_messages').set(columns).where('id', '=', id).returningAll())!
}

export function remove(db: Database, id: number): void {
  db.exec('DELETE FROM broadcast_messages WHERE id = ?', id)
}
