import type { Reader } from '../../../../../db/reader.ts'
import type { Owner } from '../../../relations/relation.ts'
import type { Statement } from './messages.ts'

// Queries of the import thread, and the statements that the main thread runs for it.

/** The active account with that confirmed address. */
export function userByEmail(db: Reader, email: string): number | undefined {
  return db.one<{ id: number }>(
    `SELECT id FROM users WHERE email = ? AND confirmed_at IS NOT NULL AND state = 'active' AND kind = 'human'
     UNION ALL SELECT u.id FROM user_emails e JOIN users u ON u.id = e.user_id
       WHERE e.email = ? AND e.confirmed_at IS NOT NULL AND u.state = 'active' AND u.kind = 'human'
     LIMIT 1`,
    email,
    email,
  )?.id
}

export function userByName(db: Reader, username: string): number | undefined {
  const active = "SELECT id FROM users WHERE username = ? AND state = 'active' AND kind = 'human'"
  return db.one<{ id: number }>(active, username)?.id
}

const GROUP_OF = {
  project: 'SELECT namespace_id AS id FROM projects WHERE id = ?',
  group: 'SELECT parent_id AS id FROM namespaces WHERE id = ?',
}

/** Ids of the groups above a project or group, the nearest first. */
export function groupsAbove(db: Reader, owner: Owner): number[] {
  const nearest = db.one<{ id: number | null }>(GROUP_OF[owner.kind], owner.id)?.id ?? null
  if (nearest === null) return []
  const rows = db.many<{ id: number }>(
    `WITH RECURSIVE up (id, depth) AS (
       SELECT id, 0 FROM namespaces WHERE id = ?
       UNION ALL SELECT n.parent_id, depth + 1 FROM up JOIN namespaces n ON n.id = up.id WHERE n.parent_id IS NOT NULL)
     SELECT id FROM up ORDER BY depth`,
    nearest,
  )
  return rows.map(({ id }) => id)
}

/** The label or milestone of that title that belongs to the project or group itself. */
export function idByTitle(
  db: Reader,
  table: 'labels' | 'milestones',
  owner: Owner,
  title: string,
): number | undefined {
  const query = `SELECT id FROM ${table} WHERE title = ? AND ${owner.kind}_id = ?`
  return db.one<{ id: number }>(query, title, owner.id)?.id
}

/** Numbers (iids) that milestones of a project or group have, and the last one that was assigned. */
export function milestoneNumbers(db: Reader, owner: Owner): number[] {
  const rows = db.many<{ iid: number }>(
    `SELECT iid FROM milestones WHERE ${owner.kind}_id = ? UNION SELECT last_value FROM internal_ids
     WHERE ${owner.kind}_id = ? AND usage = 'milestones'`,
    owner.id,
    owner.id,
  )
  return rows.map(({ iid }) => iid)
}

/** Numbers (iids) of the rows that a project has. `table` is one of rows with a number. */
export function numbersOf(db: Reader, table: string, projectId: number): number[] {
  const rows = db.many<{ iid: number }>(`SELECT iid FROM ${table} WHERE project_id = ?`, projectId)
  return rows.map(({ iid }) => iid)
}

const list = (columns: readonly string[]): string => columns.map((column) => `"${column}"`).join(', ')
const marks = (columns: readonly string[]): string => columns.map(() => '?').join(', ')

/** The first value of an insertion is the id. */
export function insertion(table: string, columns: readonly string[]): Statement {
  const names = ['id', ...columns]
  return { sql: `INSERT INTO ${table} (${list(names)}) VALUES (${marks(names)})`, table, kind: 'insert' }
}

/** Inserts a row of a table without ids, unless it exists. */
export function linking(table: string, columns: readonly string[]): Statement {
  const sql = `INSERT INTO ${table} (${list(columns)}) VALUES (${marks(columns)}) ON CONFLICT DO NOTHING`
  return { sql, table, kind: 'link' }
}

/** The last value of a change is the id. */
export function changing(table: string, columns: readonly string[]): Statement {
  const set = columns.map((column) => `"${column}" = ?`).join(', ')
  return { sql: `UPDATE ${table} SET ${set} WHERE id = ?`, table, kind: 'update' }
}
