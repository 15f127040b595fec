import type { Database } from '../../db/database.ts'

/**
 * Returns the ids of active users without activity since a day. Without any activity, the day of the creation counts.
 */
export function dormantIds(db: Database, since: string): number[] {
  const rows = db.many<{ id: number }>(
    `SELECT id FROM users WHERE state = 'active' AND kind = 'human' AND bot = 0
       AND coalesce(last_activity_on, substr(current_sign_in_at, 1, 10), substr(created_at, 1, 10)) <= ?
       AND (current_sign_in_at IS NULL OR substr(current_sign_in_at, 1, 10) <= ?)
     ORDER BY id`,
    since,
    since,
  )
  return rows.map((row) => row.id)
}

/** Returns the ids of users who signed up before a time, never confirmed their email address and never signed in. */
export function unconfirmedIds(db: Database, before: string): number[] {
  const rows = db.many<{ id: number }>(
    `SELECT id FROM users WHERE confirmed_at IS NULL AND sign_in_count = 0 AND kind = 'human' AND bot = 0
       AND created_at <= ? ORDER BY id`,
    before,
  )
  return rows.map((row) => row.id)
}

/** Returns the ids of groups in which a user is the only owner, inherited ones included. */
export function soleOwnedGroups(db: Database, userId: number): number[] {
  const rows = db.many<{ id: number }>(
    `SELECT n.id FROM members m JOIN namespaces n ON n.id = m.namespace_id
     WHERE m.user_id = ? AND m.access_level = 50 AND NOT EXISTS (
       SELECT 1 FROM members o JOIN users u ON u.id = o.user_id
       WHERE o.namespace_id IN (SELECT value FROM json_each(n.lineage)) AND o.access_level = 50
         AND o.user_id <> m.user_id AND u.kind = 'human')
     ORDER BY length(n.lineage), n.id`,
    userId,
  )
  return rows.map((row) => row.id)
}

interface Reference {
  readonly table: string
  readonly column: string
}

/** Returns the columns that refer to users and keep their rows when a user is deleted. */
function authorColumns(db: Database): Reference[] {
  return db.many<Reference>(
    `SELECT t.name AS "table", f."from" AS "column" FROM sqlite_schema t, pragma_foreign_key_list(t.name) f
     WHERE t.type = 'table' AND f."table" = 'users' AND f.on_delete IN ('NO ACTION', 'RESTRICT')`,
  )
}

/** Moves the contributions of a user to the ghost user. A row that the ghost user has already is deleted instead. */
export function moveToGhost(db: Database, userId: number, ghostId: number): void {
  for (const { table, column } of authorColumns(db)) {
    db.exec(`UPDATE OR IGNORE "${table}" SET "${column}" = ? WHERE "${column}" = ?`, ghostId, userId)
    db.exec(`DELETE FROM "${table}" WHERE "${column}" = ?`, userId)
  }
}

/** Deletes the contributions of a user. */
export function deleteContributions(db: Database, userId: number): void {
  for (const { table, column } of authorColumns(db))
    db.exec(`DELETE FROM "${table}" WHERE "${column}" = ?`, userId)
}

/** Returns the id of the ghost user; undefined if there is none yet. */
export function ghostId(db: Database): number | undefined {
  return db.one<{ id: number }>("SELECT id FROM users WHERE kind = 'ghost' ORDER BY id LIMIT 1")?.id
}
