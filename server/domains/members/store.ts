import { sql } from 'kysely'

import type { Database } from '../../db/database.ts'
import { boundedCount, selectAll } from '../../db/lists.ts'
import type { UserBasicRow } from '../users/index.ts'
import type { MemberSource } from './types.ts'

/** A stored direct membership. */
export interface MemberRow {
  readonly id: number
  readonly user_id: number
  readonly project_id: number | null
  readonly namespace_id: number | null
  readonly access_level: number
  readonly expires_at: string | null
  readonly created_at: string
}

const COLUMNS = 'm.id, m.user_id, m.project_id, m.namespace_id, m.access_level, m.expires_at, m.created_at'

/** The columns of a new membership. */
export interface NewMember {
  user_id: number
  access_level: number
  expires_at: string | null
  created_by_id: number | null
  created_at: string
}

export function byId(db: Database, id: number): MemberRow | undefined {
  return db.one(`SELECT ${COLUMNS} FROM members m WHERE m.id = ?`, id)
}

/** Inserts a membership, and replaces an expired one. Throws `UniqueViolation` if it exists. */
export function insert(db: Database, source: MemberSource, member: NewMember): void {
  const column = source.column
  db.exec(
    `DELETE FROM members WHERE ${column} = ? AND user_id = ? AND expires_at <= ?`,
    source.id,
    member.user_id,
    member.created_at.slice(0, 10),
  )
  db.exec(
    `INSERT INTO members (${column}, user_id, access_level, expires_at, created_by_id, created_at) VALUES (?, ?, ?, ?, ?, ?)`,
    source.id,
    member.user_id,
    member.access_level,
    member.expires_at,
    member.created_by_id,
    member.created_at,
  )
}

export function update(
  db: Database,
  memberId: number,
  changes: { access_level: number; expires_at?: string | null | undefined },
): void {
  db.exec('UPDATE members SET access_level = ? WHERE id = ?', changes.access_level, memberId)
  if (changes.expires_at !== undefined)
    db.exec('UPDATE members SET expires_at = ? WHERE id = ?', changes.expires_at, memberId)
}

export function setOverride(db: Database, memberId: number, override: boolean): void {
  db.exec('UPDATE members SET override = ? WHERE id = ?', override, memberId)
}

export function remove(db: Database, memberId: number): void {
  db.exec('DELETE FROM members WHERE id = ?', memberId)
}

/** Deletes the access request of a user. Returns false if there was none. */
export function deleteRequest(
  db: Database,
  source: Pick<MemberSource, 'column' | 'id'>,
  userId: number,
): boolean {
  const query = `DELETE FROM access_requests WHERE ${source.column} = ? AND user_id = ?`
  return db.exec(query, source.id, userId).changes > 0
}

/** Returns the direct memberships of a user below a group: in its subgroups and in all projects. */
export function membershipsBelow(db: Database, groupId: number, userId: number): MemberRow[] {
  return db.many(
    `WITH RECURSIVE tree (id) AS (SELECT ? UNION ALL SELECT n.id FROM namespaces n JOIN tree ON n.parent_id = tree.id)
     SELECT ${COLUMNS} FROM members m LEFT JOIN projects p ON p.id = m.project_id
     WHERE m.user_id = ? AND (m.namespace_id IN (SELECT id FROM tree WHERE id <> ?) OR p.namespace_id IN (SELECT id FROM tree))`,
    groupId,
    userId,
    groupId,
  )
}

/** Returns the ids of at most two owners of a group, direct or inherited. */
export function ownerIds(db: Database, source: MemberSource, today: string): number[] {
  const rows = db.many<{ user_id: number }>(
    `SELECT DISTINCT m.user_id FROM members m JOIN users u ON u.id = m.user_id
     WHERE (m.${source.column} = ? OR m.namespace_id IN (SELECT value FROM json_each(?)))
       AND m.access_level = 50 AND (m.expires_at IS NULL OR m.expires_at > ?) AND u.kind = 'human' LIMIT 2`,
    source.id,
    source.ancestors,
    today,
  )
  return rows.map((row) => row.user_id)
}

/** Returns the highest level that a user inherits from ancestor groups, and the name of the group. */
export function inherited(
  db: Database,
  source: MemberSource,
  userId: number,
  today: string,
): { level: number; group: string } | undefined {
  return db.one(
    `SELECT m.access_level AS level, n.name AS "group" FROM members m JOIN namespaces n ON n.id = m.namespace_id
     WHERE m.namespace_id IN (SELECT value FROM json_each(?)) AND m.user_id = ? AND (m.expires_at IS NULL OR m.expires_at > ?)
     ORDER BY m.access_level DESC LIMIT 1`,
    source.ancestors,
    userId,
    today,
  )
}

/** Returns true if an ancestor group locks the memberships of its projects. */
export function isLocked(db: Database, source: MemberSource): boolean {
  const query =
    'SELECT 1 FROM namespaces WHERE id IN (SELECT value FROM json_each(?)) AND membership_lock = 1 LIMIT 1'
  return db.one(query, source.ancestors) !== undefined
}

/** The maximum number of memberships that one run deletes. */
const MAX_DELETED = 1000

/** Returns expired memberships. */
export function expired(db: Database, today: string): MemberRow[] {
  return db.many(
    `SELECT ${COLUMNS} FROM members m WHERE m.expires_at <= ? ORDER BY m.id LIMIT ${MAX_DELETED}`,
    today,
  )
}

/** Deletes the expired shares of groups, and returns them. */
export function deleteExpiredShares(
  db: Database,
  today: string,
): { shared_group_id: number; group_id: number }[] {
  return db.many(
    `DELETE FROM group_group_links WHERE expires_at <= ? RETURNING shared_group_id, group_id`,
    today,
  )
}

/** Deletes expired invitations. */
export function removeExpiredInvitations(db: Database, today: string): void {
  db.exec('DELETE FROM invitations WHERE expires_at <= ?', today)
}

/** An access request with its user. */
export interface RequestRow extends UserBasicRow {
  readonly requested_at: string
}

/** Returns one page of access requests, the oldest first. `userId` limits it to the request of a user. */
export function listRequests(
  db: Database,
  source: MemberSource,
  window: { limit: number; offset: number },
  userId?: number,
): { rows: RequestRow[]; total: number } {
  const ofUser = userId === undefined ? sql`` : sql` AND r.user_id = ${userId}`
  const from = sql`FROM access_requests r`
  const where = sql`WHERE ${sql.ref(`r.${source.column}`)} = ${source.id}${ofUser}`
  const rows = selectAll(
    db,
    sql<RequestRow>`SELECT u.id, u.username, u.name, u.state, u.avatar, r.requested_at
      ${from} JOIN users u ON u.id = r.user_id ${where} ORDER BY r.id LIMIT ${window.limit} OFFSET ${window.offset}`,
  )
  return { rows, total: boundedCount(db, sql`SELECT 1 ${from} ${where}`) }
}

export function requestOf(db: Database, source: MemberSource, userId: number): RequestRow | undefined {
  return listRequests(db, source, { limit: 1, offset: 0 }, userId).rows[0]
}

/** Inserts an access request. Throws `UniqueViolation` if the user has one. */
export function insertRequest(db: Database, source: MemberSource, userId: number, now: string): void {
  db.exec(
    `INSERT INTO access_requests (${source.column}, user_id, requested_at) VALUES (?, ?, ?)`,
    source.id,
    userId,
    now,
  )
}

/** Returns true if users may request access to a project or group. */
export function allowsRequests(db: Database, source: MemberSource): boolean {
  const table = source.column === 'project_id' ? 'projects' : 'namespaces'
  return db.one(`SELECT 1 FROM ${table} WHERE id = ? AND request_access_enabled = 1`, source.id) !== undefined
}

/** Sets the expiry of the membership of a bot to that of its token. */
export function extendMembership(db: Database, botId: number, expiresAt: string | null): void {
  db.exec(
    `UPDATE members SET expires_at = ? WHERE user_id = ? AND EXISTS (SELECT 1 FROM users u WHERE u.id = members.user_id
       AND (u.bot_project_id = members.project_id OR u.bot_namespace_id = members.namespace_id))`,
    expiresAt,
    botId,
  )
}

/** The columns of a new share. */
interface NewShare {
  readonly shared_group_id: number
  readonly group_id: number
  readonly access_level: number
  readonly expires_at: string | null
  readonly created_at: string
}

/** Inserts a share of a group with another group. Throws `UniqueViolation` if it exists. */
export function insertShare(db: Database, link: NewShare): void {
  db.exec(
    'INSERT INTO group_group_links (shared_group_id, group_id, access_level, expires_at, created_at) VALUES (?, ?, ?, ?, ?)',
    link.shared_group_id,
    link.group_id,
    link.access_level,
    link.expires_at,
    link.created_at,
  )
}

export function removeShare(db: Database, id: number): void {
  db.exec('DELETE FROM group_group_links WHERE id = ?', id)
}

/** Deletes all memberships of a group except that of one user. */
export function removeOthers(db: Database, groupId: number, userId: number | null): void {
  db.exec('DELETE FROM members WHERE namespace_id = ? AND user_id IS NOT ?', groupId, userId)
}

/** Moves the members of one project to another. Existing members of the other project keep their access level. */
export function moveMembers(db: Database, fromProject: number, toProject: number): void {
  db.exec('UPDATE OR IGNORE members SET project_id = ? WHERE project_id = ?', toProject, fromProject)
}
