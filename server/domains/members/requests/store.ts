import { sql } from 'kysely'

import type { Database } from '../../../db/database.ts'
import { boundedCount, selectAll } from '../../../db/lists.ts'
import type { UserBasicRow } from '../../users/index.ts'
import type { MemberSource } from '../source.ts'

/** A request with the user who made it. */
export interface RequestRow extends UserBasicRow {
  readonly requested_at: string
}

/** Requests for access to a place, the oldest first; with `userId` only theirs. */
export function list(
  db: Database,
  source: MemberSource,
  window: { limit: number; offset: number },
  userId?: number,
): { rows: RequestRow[]; total: number } {
  const whose = userId === undefined ? sql`` : sql` AND r.user_id = ${userId}`
  const from = sql`FROM access_requests r`
  const where = sql`WHERE ${sql.ref(`r.${source.column}`)} = ${source.id}${whose}`
  const rows = selectAll(
    db,
    sql<RequestRow>`SELECT u.id, u.username, u.name, u.state, u.avatar, r.requested_at
      ${from} JOIN users u ON u.id = r.user_id ${where} ORDER BY r.id LIMIT ${window.limit} OFFSET ${window.offset}`,
  )
  return { rows, total: boundedCount(db, sql`SELECT 1 ${from} ${where}`) }
}

export function one(db: Database, source: MemberSource, userId: number): RequestRow | undefined {
  return list(db, source, { limit: 1, offset: 0 }, userId).rows[0]
}

/** Stores a request. Throws `UniqueViolation` when there is one. */
export function insert(db: Database, source: MemberSource, userId: number, now: string): void {
  db.exec(
    `INSERT INTO access_requests (${source.column}, user_id, requested_at) VALUES (?, ?, ?)`,
    source.id,
    userId,
    now,
  )
}

/** Whether the settings of a place let people ask. */
export function isOpen(db: Database, source: MemberSource): boolean {
  const table = source.column === 'project_id' ? 'projects' : 'namespaces'
  return db.one(`SELECT 1 FROM ${table} WHERE id = ? AND request_access_enabled = 1`, source.id) !== undefined
}
