import { sql, type RawBuilder, type SqlBool } from 'kysely'

import { jsonList, type Database } from '../../db/database.ts'
import { boundedCount, likePattern, selectAll } from '../../db/lists.ts'
import { GUEST, MINIMAL } from '../../policy/levels.ts'
import type { UserBasicRow } from '../users/index.ts'
import type { MemberSource } from './types.ts'

/** A membership with its user and whoever added them. */
export interface MemberView extends UserBasicRow {
  member_id: number
  access_level: number
  created_at: string
  expires_at: string | null
  override: boolean
  /** Whether the user is a person, or the bot of a token. */
  user_kind: string
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

interface JoinedRow extends Omit<MemberView, 'created_by'> {
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
  const parts = [sql<SqlBool>`1`]
  if (filter.query) {
    const like = likePattern(filter.query)
    parts.push(
      sql<SqlBool>`(u.name LIKE ${like} ESCAPE '\\' OR u.username LIKE ${like} ESCAPE '\\' OR (u.public_email <> '' AND u.public_email = ${filter.query} COLLATE NOCASE))`,
    )
  }
  if (filter.skip_users?.length) {
    parts.push(sql<SqlBool>`m.user_id NOT IN (SELECT value FROM json_each(${jsonList(filter.skip_users)}))`)
  }
  return sql.join(parts, sql` AND `)
}

type Fragment = RawBuilder<unknown>

const holds = (alias: string, today: string): Fragment => {
  const column = sql.ref(`${alias}.expires_at`)
  return sql`(${column} IS NULL OR ${column} > ${today})`
}

/** Which memberships are asked for: what narrows them is said to each part of the union, where indexes can use it. */
interface Asked {
  readonly source: MemberSource
  readonly today: string
  readonly user_ids?: readonly number[] | undefined
}

/** Memberships `m` that hold, of the users asked for. */
function wanted({ today, user_ids }: Asked): Fragment {
  if (!user_ids) return holds('m', today)
  return sql`${holds('m', today)} AND m.user_id IN (SELECT value FROM json_each(${jsonList(user_ids)}))`
}

const OWN = sql.raw(
  'm.id, m.user_id, m.access_level, m.created_at, m.expires_at, m.created_by_id, m.override',
)

/** Direct memberships. */
function direct(asked: Asked): Fragment {
  const { source } = asked
  return sql`SELECT ${OWN} FROM members m WHERE ${sql.ref(`m.${source.column}`)} = ${source.id} AND ${wanted(asked)}`
}

/** Memberships of the groups above. Minimal access reaches groups, and no project. */
function fromAbove(asked: Asked): Fragment {
  const { source } = asked
  const least = source.title === 'project' ? GUEST : MINIMAL
  return sql`SELECT ${OWN} FROM members m WHERE m.namespace_id IN (SELECT value FROM json_each(${source.above}))
    AND m.access_level >= ${least} AND ${wanted(asked)}`
}

/** Groups that were invited into the source or into a group above it. */
function invitations({ source, today }: Asked): Fragment {
  const groups = sql`SELECT l.group_id, l.access_level, l.expires_at FROM group_group_links l
    WHERE l.shared_group_id IN (SELECT value FROM json_each(${source.lineage})) AND ${holds('l', today)}`
  if (source.title === 'group') return groups
  return sql`${groups} UNION ALL SELECT l.group_id, l.access_level, l.expires_at FROM project_group_links l
    CROSS JOIN projects p ON p.id = l.project_id CROSS JOIN namespaces n ON n.id = p.namespace_id
    WHERE l.project_id = ${source.id} AND n.share_with_group_lock = 0 AND ${holds('l', today)}`
}

/** Members of the invited groups and of those above them, at most with the level of the invitation. */
function invited(asked: Asked): Fragment {
  const least = asked.source.title === 'project' ? GUEST : MINIMAL
  return sql`SELECT m.id, m.user_id, min(m.access_level, l.access_level) AS access_level, m.created_at,
      CASE WHEN l.expires_at IS NULL OR m.expires_at < l.expires_at THEN m.expires_at ELSE l.expires_at END AS expires_at,
      m.created_by_id, m.override
    FROM (${invitations(asked)}) l CROSS JOIN namespaces g ON g.id = l.group_id CROSS JOIN json_each(g.lineage) up
    CROSS JOIN members m ON m.namespace_id = up.value
    WHERE min(m.access_level, l.access_level) >= ${least} AND ${wanted(asked)}`
}

/** Direct memberships; with `all`, also inherited ones and those of invited groups, the highest of each user. */
function memberships(asked: Asked, all: boolean): Fragment {
  if (!all) return direct(asked)
  const every = sql.join([direct(asked), fromAbove(asked), invited(asked)], sql` UNION ALL `)
  // SQLite takes the other columns from the row that holds the maximum.
  return sql`SELECT id, user_id, max(access_level) AS access_level, created_at, expires_at, created_by_id, override
    FROM (${every}) GROUP BY user_id`
}

const COLUMNS = sql`m.id AS member_id, m.access_level, m.created_at, m.expires_at, m.override,
  u.id, u.username, u.name, u.state, u.avatar, u.kind AS user_kind,
  c.id AS c_id, c.username AS c_username, c.name AS c_name, c.state AS c_state, c.avatar AS c_avatar`

/** One page of members, in the order they were added. */
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

/** One member; with `all` also who belongs by a group, with their highest level. */
export function one(
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

/** Users of a source, including inherited and invited ones, by id. */
export function users(db: Database, source: MemberSource, filter: MemberFilter, window: Window) {
  const from = sql`FROM (${memberships({ ...filter, source }, true)}) m JOIN users u ON u.id = m.user_id WHERE ${conditions(filter)}`
  const rows = selectAll(
    db,
    sql<UserBasicRow>`SELECT u.id, u.username, u.name, u.state, u.avatar ${from} ORDER BY u.id LIMIT ${window.limit} OFFSET ${window.offset}`,
  )
  return { rows, total: boundedCount(db, sql`SELECT 1 ${from}`) }
}

/** Ids of the users with at least an access level, including inherited and invited ones, the most active first. */
export function membersFrom(
  db: Database,
  source: MemberSource,
  asked: { level: number; today: string; limit: number },
): number[] {
  const rows = selectAll(
    db,
    sql<{
      id: number
    }>`SELECT u.id FROM (${memberships({ source, today: asked.today }, true)}) m JOIN users u ON u.id = m.user_id
      WHERE m.access_level >= ${asked.level} AND u.state = 'active' AND u.kind = 'human'
      ORDER BY u.last_activity_on DESC, u.id LIMIT ${asked.limit}`,
  )
  return rows.map((row) => row.id)
}
