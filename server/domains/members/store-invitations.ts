import { sql } from 'kysely'

import type { Database } from '../../db/database.ts'
import { boundedCount, selectAll } from '../../db/lists.ts'
import type { MemberSource } from './types.ts'

/** An invitation with the name of its creator. */
export interface InvitationRow {
  readonly id: number
  readonly project_id: number | null
  readonly namespace_id: number | null
  readonly email: string
  readonly access_level: number
  readonly expires_at: string | null
  readonly token: string
  readonly created_by_id: number | null
  readonly created_by_name: string | null
  readonly created_at: string
}

const COLUMNS = sql`i.id, i.project_id, i.namespace_id, i.email, i.access_level, i.expires_at, i.token, i.created_by_id,
  c.name AS created_by_name, i.created_at`

/** Returns one page of the invitations to a project or group that have not expired, the oldest first. */
export function list(
  db: Database,
  source: MemberSource,
  filter: { query?: string | undefined; today: string },
  window: { limit: number; offset: number },
) {
  const email = filter.query === undefined ? sql`` : sql` AND i.email = ${filter.query}`
  const from = sql`FROM invitations i`
  const where = sql`WHERE ${sql.ref(`i.${source.column}`)} = ${source.id}
    AND (i.expires_at IS NULL OR i.expires_at > ${filter.today})${email}`
  const rows = selectAll(
    db,
    sql<InvitationRow>`SELECT ${COLUMNS} ${from} LEFT JOIN users c ON c.id = i.created_by_id ${where}
      ORDER BY i.id LIMIT ${window.limit} OFFSET ${window.offset}`,
  )
  return { rows, total: boundedCount(db, sql`SELECT 1 ${from} ${where}`) }
}

export function byEmail(
  db: Database,
  source: MemberSource,
  email: string,
  today: string,
): InvitationRow | undefined {
  return list(db, source, { query: email, today }, { limit: 1, offset: 0 }).rows[0]
}

/** The columns of a new invitation. */
export type NewInvitation = Pick<
  InvitationRow,
  'email' | 'access_level' | 'expires_at' | 'token' | 'created_by_id' | 'created_at'
>

/** Inserts an invitation, and replaces an expired one. Returns its id. */
export function insert(db: Database, source: MemberSource, row: NewInvitation): number {
  const { column } = source
  db.exec(`DELETE FROM invitations WHERE ${column} = ? AND email = ?`, source.id, row.email)
  return db.exec(
    `INSERT INTO invitations (${column}, email, access_level, expires_at, token, created_by_id, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
    source.id,
    row.email,
    row.access_level,
    row.expires_at,
    row.token,
    row.created_by_id,
    row.created_at,
  ).id
}

export function update(
  db: Database,
  id: number,
  terms: { access_level: number; expires_at: string | null },
): void {
  const { access_level, expires_at } = terms
  db.exec(
    'UPDATE invitations SET access_level = ?, expires_at = ? WHERE id = ?',
    access_level,
    expires_at,
    id,
  )
}

export function remove(db: Database, id: number): void {
  db.exec('DELETE FROM invitations WHERE id = ?', id)
}

/** Returns the id of the user with a confirmed primary or secondary email address. */
export function userIdOf(db: Database, email: string): number | undefined {
  return db.one<{ id: number }>(
    `SELECT u.id FROM users u WHERE u.email = ? AND u.confirmed_at IS NOT NULL AND u.kind = 'human'
     UNION ALL SELECT e.user_id FROM user_emails e WHERE e.email = ? AND e.confirmed_at IS NOT NULL LIMIT 1`,
    email,
    email,
  )?.id
}

/** Returns the invitations to the confirmed email addresses of a user, with columns of their project or group. */
export function forUser(
  db: Database,
  userId: number,
  today: string,
): (InvitationRow & { lineage: string; owner_id: number | null })[] {
  return db.many(
    `SELECT i.*, NULL AS created_by_name, n.lineage, n.owner_id FROM (
       SELECT u.email FROM users u WHERE u.id = ? AND u.confirmed_at IS NOT NULL
       UNION SELECT e.email FROM user_emails e WHERE e.user_id = ? AND e.confirmed_at IS NOT NULL) own
     CROSS JOIN invitations i ON i.email = own.email LEFT JOIN projects p ON p.id = i.project_id
     JOIN namespaces n ON n.id = coalesce(i.namespace_id, p.namespace_id)
     WHERE i.expires_at IS NULL OR i.expires_at > ?`,
    userId,
    userId,
    today,
  )
}
