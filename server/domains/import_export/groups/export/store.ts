import type { Selectable } from 'kysely'

import type { Database } from '../../../../db/database.ts'
import type { ExportsTable } from '../../../../db/schema.gen.ts'

/** An archive of a group that was asked for, as stored. */
export type GroupExport = Selectable<ExportsTable> & { group_id: number }

export function byId(db: Database, id: number): GroupExport | undefined {
  return db.one<GroupExport>('SELECT * FROM exports WHERE id = ? AND group_id IS NOT NULL', id)
}

/** The one that was asked for last. */
export function newest(db: Database, groupId: number): GroupExport | undefined {
  return db.one<GroupExport>('SELECT * FROM exports WHERE group_id = ? ORDER BY id DESC LIMIT 1', groupId)
}

/** The one whose file can be downloaded. */
export function withFile(db: Database, groupId: number, now: string): GroupExport | undefined {
  return db.one<GroupExport>(
    `SELECT * FROM exports WHERE group_id = ? AND file IS NOT NULL AND (expires_at IS NULL OR expires_at > ?)
     ORDER BY id DESC LIMIT 1`,
    groupId,
    now,
  )
}

export function insert(db: Database, groupId: number, userId: number | null, now: string): GroupExport {
  return db.one<GroupExport>(
    'INSERT INTO exports (group_id, user_id, created_at, updated_at) VALUES (?, ?, ?, ?) RETURNING *',
    groupId,
    userId,
    now,
    now,
  )!
}

export function update(
  db: Database,
  id: number,
  changes: Partial<GroupExport>,
  now: string,
): GroupExport | undefined {
  const entries = Object.entries({ ...changes, updated_at: now })
  const set = entries.map(([name]) => `${name} = ?`).join(', ')
  return db.one<GroupExport>(
    `UPDATE exports SET ${set} WHERE id = ? RETURNING *`,
    ...entries.map(([, value]) => value),
    id,
  )
}

/** Takes the files of all but the newest export off their rows, and says what they were. */
export function takeOlderFiles(db: Database, groupId: number, keptId: number): string[] {
  const rows = db.many<{ file: string }>(
    'SELECT file FROM exports WHERE group_id = ? AND id <> ? AND file IS NOT NULL',
    groupId,
    keptId,
  )
  db.exec('DELETE FROM exports WHERE group_id = ? AND id < ?', groupId, keptId)
  return rows.map(({ file }) => file)
}

/** Takes files whose time is over off their rows, and says what they were. */
export function expire(db: Database, now: string): string[] {
  const over = 'file IS NOT NULL AND group_id IS NOT NULL AND expires_at <= ?'
  const rows = db.many<{ file: string }>(`SELECT file FROM exports WHERE ${over}`, now)
  db.exec(`UPDATE exports SET file = NULL WHERE ${over}`, now)
  return rows.map(({ file }) => file)
}

/** Names of all files that a row knows. */
export function filesOf(db: Database): Set<string> {
  const sql = 'SELECT file FROM exports WHERE file IS NOT NULL AND group_id IS NOT NULL'
  return new Set(db.many<{ file: string }>(sql).map(({ file }) => file))
}
