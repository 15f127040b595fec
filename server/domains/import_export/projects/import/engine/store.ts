import type { Reader } from '../../../../../db/reader.ts'
import type { Owner } from '../../../relations/relation.ts'
import type { Statement } from './messages.ts'

// Queries of the import thread, and the statements that the main thread runs for it.

/** The ID of the active user with this confirmed email address. */
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

/** The ID of the active user with this name. */
export function userByName(db: Reader, username: string): number | undefined {
  const active = "SELECT id FROM users WHERE username = ? AND state = 'active' AND kind = 'human'"
  return db.one<{ id: number }>(active, username)?.id
}

const GROUP_OF = {
  project: 'SELECT namespace_id AS id FROM projects WHERE id = ?',
  group: 'SELECT parent_id AS id FROM namespaces WHERE id = ?',
}

/** IDs of the ancestor groups of a project or group, the nearest first. */
export function ancestorGroups(db: Reader, owner: Owner): number[] {
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

/** The ID of the label or milestone with this title that the project or group itself owns. */
export function idByTitle(
  db: Reader,
  table: 'labels' | 'milestones',
  owner: Owner,
  title: string,
): number | undefined {
  const query = `SELECT id FROM ${table} WHERE title = ? AND ${owner.kind}_id = ?`
  return db.one<{ id: number }>(query, title, owner.id)?.id
}

/** The numbers (iids) of the milestones of a project or group, and the last assigned number. */
export function milestoneNumbers(db: Reader, owner: Owner): number[] {
  const rows = db.many<{ iid: number }>(
    `SELECT iid FROM milestones WHERE ${owner.kind}_id = ? UNION SELECT last_value FROM internal_ids
     WHERE ${owner.kind}_id = ? AND usage = 'milestones'`,
    owner.id,
    owner.id,
  )
  return rows.map(({ iid }) => iid)
}

/** The numbers (iids) of the rows of a project. `table` must be a table of numbered rows. */
export function numbersOf(db: Reader, table: string, projectId: number): number[] {
  const rows = db.many<{ iid: number }>(`SELECT iid FROM ${table} WHERE project_id = ?`, projectId)
  return rows.map(({ iid }) => iid)
}

const columnList = (columns: readonly string[]): string => columns.map((column) => `"${column}"`).join(', ')
const placeholders = (columns: readonly string[]): string => columns.map(() => '?').join(', ')

/** A statement that inserts a row. Its first value is the ID. */
export function insertStatement(table: string, columns: readonly string[]): Statement {
  const names = ['id', ...columns]
  return {
    sql: `INSERT INTO ${table} (${columnList(names)}) VALUES (${placeholders(names)})`,
    table,
    kind: 'insert',
  }
}

/** A statement that inserts a row into a table without IDs, unless it exists. */
export function linkStatement(table: string, columns: readonly string[]): Statement {
  const sql = `INSERT INTO ${table} (${columnList(columns)}) VALUES (${placeholders(columns)}) ON CONFLICT DO NOTHING`
  return { sql, table, kind: 'link' }
}

/** A statement that updates a row. Its last value is the ID. */
export function updateStatement(table: string, columns: readonly string[]): Statement {
  const set = columns.map((column) => `"${column}" = ?`).join(', ')
  return { sql: `UPDATE ${table} SET ${set} WHERE id = ?`, table, kind: 'update' }
}
