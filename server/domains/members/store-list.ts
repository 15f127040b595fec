import { sql, type RawBuilder, type SqlBool } from 'kysely'

import { jsonList, type Database } from '../../db/database.ts'
import { boundedCount, likePattern, selectAll } from '../../db/lists.ts'
import { GUEST, MINIMAL } from '../../policy/levels.ts'
import type { UserBasicRow } from '../users/index.ts'
import type { MemberSource } from './types.ts'

/** A membership with its user and its creator. */
export interface MemberView extends UserBasicRow {
  member_id: number
  access_level: number
  created_at: string
  expires_at: string | null
  override: boolean
  /** The kind of the user: a person, a bot or an internal user. */
  user_kind: string
  email: string
  /** The group that created the user by its identity provider. */
  provisioned_by_group_id: number | null
  created_by: UserBasicRow | undefined
}

/** A member, and whether the response includes the seat fields and the email address. */
export interface ShownMember extends MemberView {
  readonly seat?: boolean | undefined
  readonly showsEmail?: boolean | undefined
}

/** Filters of member lists. Memberships that expire on `today` or earlier are excluded. */
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

interface JoinedRow extends Omit<MemberView, 'created_by'> {
  c_id: number | null
  c_username: string
  c_name: string
  c_state: UserBasicRow['state']
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
  const conditions = [sql<SqlBool>`1`]
  if (filter.query) {
    const like = likePattern(filter.query)
    conditions.push(
      sql<SqlBool>`(u.name LIKE ${like} ESCAPE '\\' OR u.username LIKE ${like} ESCAPE '\\' OR (u.public_email <> '' AND u.public_email = ${filter.query} COLLATE NOCASE))`,
    )
  }
  if (filter.skip_users?.length) {
    conditions.push(
      sql<SqlBool>`m.user_id NOT IN (SELECT value FROM json_each(${jsonList(filter.skip_users)}))`,
    )
  }
  return sql.join(conditions, sql` AND `)
}

type Fragment = RawBuilder<unknown>

const isCurrent = (alias: string, today: string): Fragment => {
  const column = sql.ref(`${alias}.expires_at`)
  return sql`(${column} IS NULL OR ${column} > ${today})`
}

/** Filters of memberships. Each query of the union contains them, so that SQLite can use indexes. */
interface MembershipQuery {
  readonly source: MemberSource
  readonly today: string
  readonly user_ids?: readonly number[] | undefined
}

/** Returns a condition for memberships (alias `m`) of the users in the filter that have not expired. */
function unexpired({ today, user_ids }: MembershipQuery): Fragment {
  if (!user_ids) return isCurrent('m', today)
  return sql`${isCurrent('m', today)} AND m.user_id IN (SELECT value FROM json_each(${jsonList(user_ids)}))`
}

const MEMBER_COLUMNS = sql.raw(
  'm.id, m.user_id, m.access_level, m.created_at, m.expires_at, m.created_by_id, m.override',
)

/** Selects direct memberships. */
function directMemberships(query: MembershipQuery): Fragment {
  const { source } = query
  return sql`SELECT ${MEMBER_COLUMNS} FROM members m WHERE ${sql.ref(`m.${source.column}`)} = ${source.id} AND ${unexpired(query)}`
}

/** Selects memberships of the ancestor groups. Minimal access counts for groups only. */
function inheritedMemberships(query: MembershipQuery): Fragment {
  const { source } = query
  const minLevel = source.title === 'project' ? GUEST : MINIMAL
  return sql`SELECT ${MEMBER_COLUMNS} FROM members m WHERE m.namespace_id IN (SELECT value FROM json_each(${source.ancestors}))
    AND m.access_level >= ${minLevel} AND ${unexpired(query)}`
}

/** Selects groups that are invited to the source or to an ancestor group. */
function sharesWith({ source, today }: MembershipQuery): Fragment {
  const groups = sql`SELECT l.group_id, l.access_level, l.expires_at FROM group_group_links l
    WHERE l.shared_group_id IN (SELECT value FROM json_each(${source.lineage})) AND ${isCurrent('l', today)}`
  if (source.title === 'group') return groups
  return sql`${groups} UNION ALL SELECT l.group_id, l.access_level, l.expires_at FROM project_group_links l
    CROSS JOIN projects p ON p.id = l.project_id CROSS JOIN namespaces n ON n.id = p.namespace_id
    WHERE l.project_id = ${source.id} AND n.share_with_group_lock = 0 AND ${isCurrent('l', today)}`
}

/** Selects memberships of the invited groups and of their ancestors, with at most the level of the share. */
function invitedMemberships(query: MembershipQuery): Fragment {
  const minLevel = query.source.title === 'project' ? GUEST : MINIMAL
  return sql`SELECT m.id, m.user_id, min(m.access_level, l.access_level) AS access_level, m.created_at,
      CASE WHEN l.expires_at IS NULL OR m.expires_at < l.expires_at THEN m.expires_at ELSE l.expires_at END AS expires_at,
      m.created_by_id, m.override
    FROM (${sharesWith(query)}) l CROSS JOIN namespaces g ON g.id = l.group_id CROSS JOIN json_each(g.lineage) up
    CROSS JOIN members m ON m.namespace_id = up.value
    WHERE min(m.access_level, l.access_level) >= ${minLevel} AND ${unexpired(query)}`
}

/**
 * Selects direct memberships; with `all`, also inherited ones and those of invited groups, and only the highest one
 * of each user.
 */
function memberships(query: MembershipQuery, all: boolean): Fragment {
  if (!all) return directMemberships(query)
  const allMemberships = sql.join(
    [directMemberships(query), inheritedMemberships(query), invitedMemberships(query)],
    sql` UNION ALL `,
  )
  // SQLite returns the other columns from the row with the maximum.
  return sql`SELECT id, user_id, max(access_level) AS access_level, created_at, expires_at, created_by_id, override
    FROM (${allMemberships}) GROUP BY user_id`
}

const COLUMNS = sql`m.id AS member_id, m.access_level, m.created_at, m.expires_at, m.override,
  u.id, u.username, u.name, u.state, u.avatar, u.kind AS user_kind, u.email, u.provisioned_by_group_id,
  c.id AS c_id, c.username AS c_username, c.name AS c_name, c.state AS c_state, c.avatar AS c_avatar`

/** Returns one page of members, the oldest first. */
export function list(
  db: Database,
  source: MemberSource,
  filter: MemberFilter & { all: boolean },
  window: Window,
) {
  const from = sql`FROM (${memberships({ ...filter, source }, filter.all)}) m JOIN users u ON u.id = m.user_id`
  const where = sql`WHERE ${conditions(filter)}`
  const rows = selectAll(
    db,
    sql<JoinedRow>`SELECT ${COLUMNS} ${from} LEFT JOIN users c ON c.id = m.created_by_id ${where}
      ORDER BY m.id LIMIT ${window.limit} OFFSET ${window.offset}`,
  )
  return { rows: rows.map(view), total: boundedCount(db, sql`SELECT 1 ${from} ${where}`) }
}

/** Returns one member; with `all` also an inherited one, with the highest level. */
export function memberByUser(
  db: Database,
  source: MemberSource,
  filter: { user_id: number; all: boolean; today: string },
): MemberView | undefined {
  const { rows } = list(
    db,
    source,
    { all: filter.all, today: filter.today, user_ids: [filter.user_id] },
    { limit: 1, offset: 0 },
  )
  return rows[0]
}

/** Returns one page of all members of a source as users, including inherited and invited ones, ordered by id. */
export function users(db: Database, source: MemberSource, filter: MemberFilter, window: Window) {
  const from = sql`FROM (${memberships({ ...filter, source }, true)}) m JOIN users u ON u.id = m.user_id WHERE ${conditions(filter)}`
  const rows = selectAll(
    db,
    sql<UserBasicRow>`SELECT u.id, u.username, u.name, u.state, u.avatar ${from} ORDER BY u.id LIMIT ${window.limit} OFFSET ${window.offset}`,
  )
  return { rows, total: boundedCount(db, sql`SELECT 1 ${from}`) }
}

/**
 * Returns the ids of the users with at least an access level, including inherited and invited ones, the most recently
 * active first.
 */
export function membersFrom(
  db: Database,
  source: MemberSource,
  query: { level: number; today: string; limit: number },
): number[] {
  const rows = selectAll(
    db,
    sql<{
      id: number
    }>`SELECT u.id FROM (${memberships({ source, today: query.today }, true)}) m JOIN users u ON u.id = m.user_id
      WHERE m.access_level >= ${query.level} AND u.state = 'active' AND u.kind = 'human'
      ORDER BY u.last_activity_on DESC, u.id LIMIT ${query.limit}`,
  )
  return rows.map((row) => row.id)
}
