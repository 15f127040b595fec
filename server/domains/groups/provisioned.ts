import { sql, type RawBuilder, type SqlBool } from 'kysely'

import type { Database } from '../../db/database.ts'
import { boundedCount, likePattern, selectAll } from '../../db/lists.ts'
import type { UserBasicRow } from '../users/index.ts'

/** Filters of the users whom a group brought. */
export interface ProvisionedFilter {
  username?: string | undefined
  search?: string | undefined
  active?: boolean | undefined
  blocked?: boolean | undefined
  created_after?: string | undefined
  created_before?: string | undefined
}

function conditionsOf(groupId: number, filter: ProvisionedFilter): RawBuilder<SqlBool> {
  const parts = [sql<SqlBool>`u.provisioned_by_group_id = ${groupId}`]
  if (filter.username !== undefined) parts.push(sql<SqlBool>`u.username = ${filter.username}`)
  if (filter.search) {
    const like = likePattern(filter.search)
    parts.push(
      sql<SqlBool>`(u.name LIKE ${like} ESCAPE '\\' OR u.username LIKE ${like} ESCAPE '\\' OR u.email = ${filter.search})`,
    )
  }
  if (filter.active) parts.push(sql<SqlBool>`u.state = 'active'`)
  if (filter.blocked) parts.push(sql<SqlBool>`u.state = 'blocked'`)
  if (filter.created_after) parts.push(sql<SqlBool>`u.created_at >= ${filter.created_after}`)
  if (filter.created_before) parts.push(sql<SqlBool>`u.created_at <= ${filter.created_before}`)
  return sql.join(parts, sql` AND `)
}

/** One page of the users whom the sign-in of a group brought, by id. */
export function list(
  db: Database,
  groupId: number,
  filter: ProvisionedFilter,
  window: { limit: number; offset: number },
): { rows: UserBasicRow[]; total: number } {
  const from = sql`FROM users u WHERE ${conditionsOf(groupId, filter)}`
  const rows = selectAll(
    db,
    sql<UserBasicRow>`SELECT u.id, u.username, u.name, u.state, u.avatar ${from}
      ORDER BY u.id LIMIT ${window.limit} OFFSET ${window.offset}`,
  )
  return { rows, total: boundedCount(db, sql`SELECT u.id ${from}`) }
}
