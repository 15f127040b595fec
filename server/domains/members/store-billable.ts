import { sql, type RawBuilder } from 'kysely'

import { jsonList, type Database } from '../../db/database.ts'
import { boundedCount, likePattern, selectAll } from '../../db/lists.ts'
import { GUEST } from '../../policy/levels.ts'
import type { UserBasicRow } from '../users/index.ts'

/** A billable user of a group: a member of the group, of a subgroup or project, or of an invited group. */
export interface BillableRow extends UserBasicRow {
  readonly email: string
  readonly public_email: string
  readonly last_activity_on: string | null
  readonly last_login_at: string | null
  readonly created_at: string
  /**
   * The source of the membership: 0 group, 1 project, 2 group invited to a group, 3 group invited to a project. The
   * lowest counts.
   */
  readonly type: number
}

/** The sort orders of the list (spec core 1.4). */
export const ORDERS = {
  access_level_asc: 'm.level, u.id',
  access_level_desc: 'm.level DESC, u.id',
  last_joined: 'm.joined DESC, u.id',
  name_asc: 'u.name COLLATE NOCASE, u.id',
  name_desc: 'u.name COLLATE NOCASE DESC, u.id',
  oldest_joined: 'm.joined, u.id',
  oldest_sign_in: 'u.current_sign_in_at, u.id',
  recent_sign_in: 'u.current_sign_in_at DESC, u.id',
  last_activity_on_asc: 'u.last_activity_on, u.id',
  last_activity_on_desc: 'u.last_activity_on DESC, u.id',
} as const

/** Selects the memberships in some groups (`root`) and everything below them, one row for each membership. */
function memberships(groupIds: readonly number[], today: string): RawBuilder<unknown> {
  const isCurrent = sql`(m.expires_at IS NULL OR m.expires_at > ${today})`
  const isLinkCurrent = sql`(l.expires_at IS NULL OR l.expires_at > ${today})`
  const invited = sql`CROSS JOIN namespaces g ON g.id = l.group_id CROSS JOIN json_each(g.lineage) up
    CROSS JOIN members m ON m.namespace_id = up.value WHERE ${isCurrent} AND ${isLinkCurrent}`
  return sql`WITH RECURSIVE tree (root, id) AS (
      SELECT value, value FROM json_each(${jsonList(groupIds)})
      UNION ALL SELECT tree.root, n.id FROM namespaces n JOIN tree ON n.parent_id = tree.id)
    SELECT tree.root, m.user_id, 0 AS type, m.access_level, m.created_at
      FROM tree CROSS JOIN members m ON m.namespace_id = tree.id WHERE ${isCurrent}
    UNION ALL SELECT tree.root, m.user_id, 1, m.access_level, m.created_at
      FROM tree CROSS JOIN projects p ON p.namespace_id = tree.id CROSS JOIN members m ON m.project_id = p.id WHERE ${isCurrent}
    UNION ALL SELECT tree.root, m.user_id, 2, min(m.access_level, l.access_level), m.created_at
      FROM tree CROSS JOIN group_group_links l ON l.shared_group_id = tree.id ${invited}
    UNION ALL SELECT tree.root, m.user_id, 3, min(m.access_level, l.access_level), m.created_at
      FROM tree CROSS JOIN projects p ON p.namespace_id = tree.id CROSS JOIN project_group_links l ON l.project_id = p.id ${invited}`
}

/** Returns the number of billable users of each group. The map omits groups without any. */
export function counts(db: Database, groupIds: readonly number[], today: string): Map<number, number> {
  const rows = selectAll(
    db,
    sql<{ root: number; count: number }>`SELECT m.root, count(DISTINCT m.user_id) AS count
      FROM (${memberships(groupIds, today)}) m CROSS JOIN users u ON u.id = m.user_id
      WHERE m.access_level >= ${GUEST} AND u.kind = 'human' AND u.state = 'active' GROUP BY m.root`,
  )
  return new Map(rows.map((row) => [row.root, row.count]))
}

/** Returns one page of the billable users of a group. Users with minimal access are not billable. */
export function list(
  db: Database,
  groupId: number,
  filter: { search?: string | undefined; sort?: keyof typeof ORDERS | undefined; today: string },
  window: { limit: number; offset: number },
): { rows: BillableRow[]; total: number } {
  const like = likePattern(filter.search ?? '')
  const matches = filter.search
    ? sql`AND (u.name LIKE ${like} ESCAPE '\\' OR u.username LIKE ${like} ESCAPE '\\' OR u.email = ${filter.search})`
    : sql``
  const from = sql`FROM (
      SELECT user_id, min(type) AS type, max(access_level) AS level, min(created_at) AS joined
      FROM (${memberships([groupId], filter.today)}) WHERE access_level >= ${GUEST} GROUP BY user_id) m
    CROSS JOIN users u ON u.id = m.user_id WHERE u.kind = 'human' AND u.state = 'active' ${matches}`
  const rows = selectAll(
    db,
    sql<BillableRow>`SELECT u.id, u.username, u.name, u.state, u.avatar, u.email, u.public_email, u.last_activity_on,
        u.current_sign_in_at AS last_login_at, u.created_at, m.type
      ${from} ORDER BY ${sql.raw(ORDERS[filter.sort ?? 'name_asc'])} LIMIT ${window.limit} OFFSET ${window.offset}`,
  )
  return { rows, total: boundedCount(db, sql`SELECT u.id ${from}`) }
}
