import { timingSafeEqual } from 'node:crypto'

import type { Ctx } from '../../../ctx.ts'
import { tokenDigest } from '../../../lib/security/crypto.ts'
import type { UserRow } from '../../users/index.ts'
import { sql, type RawBuilder, type Selectable, type SqlBool } from 'kysely'
import { q, type Database } from '../../../db/database.ts'
import { boundedCount, selectAll } from '../../../db/lists.ts'
import type { ScimIdentitiesTable, ScimTokensTable } from '../../../db/schema.gen.ts'

/** An identity of a user in a group, or in the instance if `group_id` is null. */
export type IdentityRow = Selectable<ScimIdentitiesTable>

/** An identity with columns of its user. */
export interface ScimUserRow extends IdentityRow {
  readonly username: string
  readonly name: string
  readonly email: string
  readonly state: UserRow['state']
  readonly avatar: string | null
}

const COLUMNS = sql`i.id, i.group_id, i.user_id, i.extern_uid, i.active, i.created_at, i.updated_at,
  u.username, u.name, u.email, u.state, u.avatar`

function inScope(groupId: number | null): RawBuilder<SqlBool> {
  return groupId === null ? sql<SqlBool>`i.group_id IS NULL` : sql<SqlBool>`i.group_id = ${groupId}`
}

/** Returns one page of the identities of a group or of the instance (null), the oldest first. */
export function list(
  db: Database,
  groupId: number | null,
  filter: RawBuilder<SqlBool> | undefined,
  window: { limit: number; offset: number },
): { rows: ScimUserRow[]; total: number } {
  const condition = filter ? sql`${inScope(groupId)} AND (${filter})` : inScope(groupId)
  const from = sql`FROM scim_identities i JOIN users u ON u.id = i.user_id WHERE ${condition}`
  const rows = selectAll(
    db,
    sql<ScimUserRow>`SELECT ${COLUMNS} ${from} ORDER BY i.id LIMIT ${window.limit} OFFSET ${window.offset}`,
  )
  return { rows, total: boundedCount(db, sql`SELECT i.id ${from}`) }
}

function findIdentity(
  db: Database,
  groupId: number | null,
  condition: RawBuilder<SqlBool>,
): ScimUserRow | undefined {
  return selectAll(
    db,
    sql<ScimUserRow>`SELECT ${COLUMNS} FROM scim_identities i JOIN users u ON u.id = i.user_id
      WHERE ${inScope(groupId)} AND ${condition}`,
  )[0]
}

/** Returns the identity with an external UID, case-insensitively. */
export function byUid(db: Database, groupId: number | null, uid: string): ScimUserRow | undefined {
  return findIdentity(db, groupId, sql<SqlBool>`i.extern_uid = ${uid}`)
}

/** Returns the identity of a user. */
export function byUser(db: Database, groupId: number | null, userId: number): ScimUserRow | undefined {
  return findIdentity(db, groupId, sql<SqlBool>`i.user_id = ${userId}`)
}

export function insert(db: Database, row: Omit<IdentityRow, 'id'>): void {
  db.run(q.insertInto('scim_identities').values(row))
}

export function update(db: Database, id: number, changes: Partial<Omit<IdentityRow, 'id'>>): void {
  db.run(q.updateTable('scim_identities').set(changes).where('id', '=', id))
}

export function remove(db: Database, id: number): void {
  db.exec('DELETE FROM scim_identities WHERE id = ?', id)
}

/** Returns the user with an email address, and whether the address is confirmed. */
export function ownerOfEmail(
  db: Database,
  email: string,
): { id: number; kind: string; is_confirmed: 0 | 1 } | undefined {
  return db.one(
    `SELECT id, kind, confirmed_at IS NOT NULL AS is_confirmed FROM users WHERE email = ?
     UNION ALL SELECT u.id, u.kind, e.confirmed_at IS NOT NULL FROM user_emails e JOIN users u ON u.id = e.user_id WHERE e.email = ?`,
    email,
    email,
  )
}

/** Returns true if the user is a direct member of the group. */
export function isMember(db: Database, groupId: number, userId: number, today: string): boolean {
  const text = `SELECT 1 FROM members WHERE namespace_id = ? AND user_id = ? AND (expires_at IS NULL OR expires_at > ?)`
  return db.one(text, groupId, userId, today) !== undefined
}

/** Returns true if a user owns no personal projects and has no memberships outside of a top-level group. */
export function isOnlyIn(db: Database, groupId: number, userId: number): boolean {
  const outside = `SELECT 1 FROM members m LEFT JOIN projects p ON p.id = m.project_id
    JOIN namespaces n ON n.id = coalesce(m.namespace_id, p.namespace_id)
    WHERE m.user_id = ? AND json_extract(n.lineage, '$[0]') <> ?
    UNION ALL SELECT 1 FROM projects p JOIN namespaces n ON n.id = p.namespace_id WHERE n.owner_id = ? LIMIT 1`
  return db.one(outside, userId, groupId, userId) === undefined
}

/** Returns true if no user and no top-level group has the name. */
export function isNameUnused(db: Database, name: string): boolean {
  const text = `SELECT 1 FROM users WHERE username = ?
    UNION ALL SELECT 1 FROM namespaces WHERE full_path = ?`
  return db.one(text, name, name) === undefined
}

/** The token of an identity provider, with its digest instead of its text. */
export type ScimTokenRow = Selectable<ScimTokensTable>

/** Returns the token of a group, or of the instance (null). */
export function tokenOf(db: Database, groupId: number | null): ScimTokenRow | undefined {
  return groupId === null
    ? db.one<ScimTokenRow>('SELECT * FROM scim_tokens WHERE group_id IS NULL')
    : db.one<ScimTokenRow>('SELECT * FROM scim_tokens WHERE group_id = ?', groupId)
}

export function insertToken(db: Database, row: Omit<ScimTokenRow, 'id'>): ScimTokenRow {
  return db.get(q.insertInto('scim_tokens').values(row).returningAll())!
}

export function removeToken(db: Database, id: number): void {
  db.exec('DELETE FROM scim_tokens WHERE id = ?', id)
}

/** Returns true if a request has the token (`Authorization: Bearer …`), and records its use. */
export function isTokenOf(ctx: Ctx, row: ScimTokenRow, authorization: string): boolean {
  const [, token] = /^bearer[ \t]+(\S+)[ \t]*$/i.exec(authorization) ?? []
  if (token === undefined) return false
  const isValid = timingSafeEqual(Buffer.from(tokenDigest(token)), Buffer.from(row.token_digest))
  const sql = 'UPDATE scim_tokens SET last_used_at = ? WHERE id = ?'
  if (isValid) ctx.bookkeeping.collect(`scim-token-used:${row.id}`, sql, ctx.now, row.id)
  return isValid
}
