import type { Database } from '../../db/database.ts'

/**
 * Active users without activity since the given day. For users without any activity, the day of the creation counts.
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

/** Users who signed up before a time, never confirmed their address and never signed in. */
export function unconfirmedIds(db: Database, before: string): number[] {
  const rows = db.many<{ id: number }>(
    `SELECT id FROM users WHERE confirmed_at IS NULL AND sign_in_count = 0 AND kind = 'human' AND bot = 0
       AND created_at <= ? ORDER BY id`,
    before,
  )
  return rows.map((row) => row.id)
}

/** Groups with this user as the only owner, direct or inherited. */
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

/** Columns with the id of an author, in rows that outlive the user. */
function authorships(db: Database): Reference[] {
  return db.many<Reference>(
    `SELECT t.name AS "table", f."from" AS "column" FROM sqlite_schema t, pragma_foreign_key_list(t.name) f
     WHERE t.type = 'table' AND f."table" = 'users' AND f.on_delete IN ('NO ACTION', 'RESTRICT')`,
  )
}

/** Moves the contributions of a user to the ghost user. Duplicates of what the ghost has are deleted. */
export function moveToGhost(db: Database, userId: number, ghostId: number): void {
  for (const { table, column } of authorships(db)) {
    db.exec(`UPDATE OR IGNORE "${table}" SET "${column}" = ? WHERE "${column}" = ?`, ghostId, userId)
    db.exec(`DELETE FROM "${table}" WHERE "${column}" = ?`, userId)
  }
}

/** Deletes the contributions of a user. */
export function deleteWritings(db: Database, userId: number): void {
  for (const { table, column } of authorships(db))
    db.exec(`DELETE FROM "${table}" WHERE "${column}" = ?`, userId)
}

/** The ghost user. */
export function ghostId(db: Database): number | undefined {
  return db.one<{ id: number }>("SELECT id FROM users WHERE kind = 'ghost' ORDER BY id LIMIT 1")?.id
}
