import { sql, type RawBuilder, type SqlBool } from 'kysely'

import { jsonList, type Database } from '../../db/database.ts'
import { boundedCount, likePattern, selectAll } from '../../db/lists.ts'
import type { UserBasicRow } from '../users/index.ts'
import type { MemberPlace } from './place.ts'

/** A membership with its user and whoever added them. */
export interface MemberView extends UserBasicRow {
  member_id: number
  access_level: number
  created_at: string
  expires_at: string | null
  created_by: UserBasicRow | undefined
}

/** Filters of member lists. `today` decides which memberships still hold. */
export interface MemberFilter {
  today: string
  query?: string | undefined
  user_ids?: readonly number[] | undefined
  skip_users?: readonly number[] | undefined
}

interface Window {
  limit: number
  offset: number
}

interface JoinedRow extends UserBasicRow {
  member_id: number
  access_level: number
  created_at: string
  expires_at: string | null
  c_id: number | null
  c_username: string
  c_name: string
  c_state: string
  c_avatar: string | null
}

function view({ c_id, c_username, c_name, c_state, c_avatar, ...row }: JoinedRow): MemberView {
  const created_by =
    c_id === null
      ? undefined
      : { id: c_id, username: c_username, name: c_name, state: c_state, avatar: c_avatar }
  return { ...row, created_by }
}

function conditions(filter: MemberFilter): RawBuilder<SqlBool> {
  const parts = [sql<SqlBool>`(m.expires_at IS NULL OR m.expires_at > ${filter.today})`]
  if (filter.query) {
    const like = likePattern(filter.query)
    parts.push(
      sql<SqlBool>`(u.name LIKE ${like} ESCAPE '\\' OR u.username LIKE ${like} ESCAPE '\\' OR u.email = ${filter.query})`,
    )
  }
  if (filter.user_ids)
    parts.push(sql<SqlBool>`m.user_id IN (SELECT value FROM json_each(${jsonList(filter.user_ids)}))`)
  if (filter.skip_users?.length) {
    parts.push(sql<SqlBool>`m.user_id NOT IN (SELECT value FROM json_each(${jsonList(filter.skip_users)}))`)
  }
  return sql.join(parts, sql` AND `)
}

/** Memberships of a place, or of it and everything above it; the highest of each user. */
function memberships(place: MemberPlace, all: boolean): RawBuilder<unknown> {
  const own = sql`${sql.ref(place.column)} = ${place.id}`
  if (!all)
    return sql`SELECT id, user_id, access_level, created_at, expires_at, created_by_id FROM members WHERE ${own}`
  // SQLite takes the other columns from the row that holds the maximum.
  return sql`SELECT id, user_id, max(access_level) AS access_level, created_at, expires_at, created_by_id FROM members
    WHERE ${own} OR namespace_id IN (SELECT value FROM json_each(${place.above})) GROUP BY user_id`
}

const COLUMNS = sql`m.id AS member_id, m.access_level, m.created_at, m.expires_at, u.id, u.username, u.name, u.state, u.avatar,
  c.id AS c_id, c.username AS c_username, c.name AS c_name, c.state AS c_state, c.avatar AS c_avatar`

/** One page of members, in the order they were added. */
export function list(
  db: Database,
  place: MemberPlace,
  filter: MemberFilter & { all: boolean },
  window: Window,
) {
  const from = sql`FROM (${memberships(place, filter.all)}) m JOIN users u ON u.id = m.user_id`
  const where = sql`WHERE ${conditions(filter)}`
  const rows = selectAll(
    db,
    sql<JoinedRow>`SELECT ${COLUMNS} ${from} LEFT JOIN users c ON c.id = m.created_by_id ${where}
      ORDER BY m.id LIMIT ${window.limit} OFFSET ${window.offset}`,
  )
  return { rows: rows.map(view), total: boundedCount(db, sql`SELECT 1 ${from} ${where}`) }
}

/** One member; with `all` also who belongs by a group above, with their highest level. */
export function one(
  db: Database,
  place: MemberPlace,
  filter: { user_id: number; all: boolean; today: string },
): MemberView | undefined {
  const { rows } = list(
    db,
    place,
    { all: filter.all, today: filter.today, user_ids: [filter.user_id] },
    { limit: 1, offset: 0 },
  )
  return rows[0]
}

/** Users of a place, inherited ones included, by id. */
export function users(db: Database, place: MemberPlace, filter: MemberFilter, window: Window) {
  const from = sql`FROM (${memberships(place, true)}) m JOIN users u ON u.id = m.user_id WHERE ${conditions(filter)}`
  const rows = selectAll(
    db,
    sql<UserBasicRow>`SELECT u.id, u.username, u.name, u.state, u.avatar ${from} ORDER BY u.id LIMIT ${window.limit} OFFSET ${window.offset}`,
  )
  return { rows, total: boundedCount(db, sql`SELECT 1 ${from}`) }
}

/** What a new membership is made of. */
export interface NewMember {
  user_id: number
  access_level: number
  expires_at: string | null
  created_by_id: number | null
  created_at: string
}

/** Adds a membership, in the place of an expired one if there is such. Throws `UniqueViolation` when it exists. */
export function insert(db: Database, place: MemberPlace, member: NewMember): void {
  const column = place.column
  db.exec(
    `DELETE FROM members WHERE ${column} = ? AND user_id = ? AND expires_at <= ?`,
    place.id,
    member.user_id,
    member.created_at.slice(0, 10),
  )
  db.exec(
    `INSERT INTO members (${column}, user_id, access_level, expires_at, created_by_id, created_at) VALUES (?, ?, ?, ?, ?, ?)`,
    place.id,
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

export function remove(db: Database, memberId: number): void {
  db.exec('DELETE FROM members WHERE id = ?', memberId)
}

/** Direct memberships in everything below a group: its subgroups, and the projects of it and of them. */
export function belowGroup(
  db: Database,
  groupId: number,
  userId: number,
): { id: number; project_id: number | null; namespace_id: number | null; access_level: number }[] {
  return db.many(
    `WITH RECURSIVE tree (id) AS (SELECT ? UNION ALL SELECT n.id FROM namespaces n JOIN tree ON n.parent_id = tree.id)
     SELECT m.id, m.project_id, m.namespace_id, m.access_level FROM members m LEFT JOIN projects p ON p.id = m.project_id
     WHERE m.user_id = ? AND (m.namespace_id IN (SELECT id FROM tree WHERE id <> ?) OR p.namespace_id IN (SELECT id FROM tree))`,
    groupId,
    userId,
    groupId,
  )
}

/** Owners of a group whose membership holds, the inherited ones included; two are enough to know. */
export function ownerIds(db: Database, place: MemberPlace, today: string): number[] {
  const rows = db.many<{ user_id: number }>(
    `SELECT DISTINCT user_id FROM members WHERE (${place.column} = ? OR namespace_id IN (SELECT value FROM json_each(?)))
       AND access_level = 50 AND (expires_at IS NULL OR expires_at > ?) LIMIT 2`,
    place.id,
    place.above,
    today,
  )
  return rows.map((row) => row.user_id)
}

/** The highest level a user has from the groups above a place, and the name of the group it comes from. */
export function inherited(
  db: Database,
  place: MemberPlace,
  userId: number,
  today: string,
): { level: number; group: string } | undefined {
  return db.one(
    `SELECT m.access_level AS level, n.name AS "group" FROM members m JOIN namespaces n ON n.id = m.namespace_id
     WHERE m.namespace_id IN (SELECT value FROM json_each(?)) AND m.user_id = ? AND (m.expires_at IS NULL OR m.expires_at > ?)
     ORDER BY m.access_level DESC LIMIT 1`,
    place.above,
    userId,
    today,
  )
}

/** Memberships whose day has come. */
export function expired(db: Database, today: string) {
  return db.many<{
    id: number
    user_id: number
    project_id: number | null
    namespace_id: number | null
    access_level: number
  }>(
    'SELECT id, user_id, project_id, namespace_id, access_level FROM members WHERE expires_at <= ? ORDER BY id LIMIT 1000',
    today,
  )
}
