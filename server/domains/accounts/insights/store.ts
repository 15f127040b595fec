import { sql } from 'kysely'

import type { Database } from '../../../db/database.ts'
import { boundedCount, selectAll } from '../../../db/lists.ts'

/** What somebody is a member of. */
export interface MembershipRow {
  source_id: number
  source_name: string
  source_type: 'Project' | 'Namespace'
  access_level: number
}

/** One page of the direct memberships of a user, oldest first. */
export function memberships(
  db: Database,
  userId: number,
  type: 'Project' | 'Namespace' | undefined,
  page: { limit: number; offset: number },
) {
  const kind =
    type === undefined
      ? sql``
      : type === 'Project'
        ? sql`AND m.project_id IS NOT NULL`
        : sql`AND m.namespace_id IS NOT NULL`
  const from = sql`FROM members m LEFT JOIN projects p ON p.id = m.project_id
    LEFT JOIN namespaces n ON n.id = m.namespace_id WHERE m.user_id = ${userId} ${kind}`
  const rows = selectAll(
    db,
    sql<MembershipRow>`SELECT coalesce(m.project_id, m.namespace_id) AS source_id, coalesce(p.name, n.name) AS source_name,
      CASE WHEN m.project_id IS NULL THEN 'Namespace' ELSE 'Project' END AS source_type, m.access_level
      ${from} ORDER BY m.id LIMIT ${page.limit} OFFSET ${page.offset}`,
  )
  return { rows, total: boundedCount(db, sql`SELECT m.id ${from}`) }
}

/** How much a user is part of. */
export interface Associations {
  groups_count: number
  projects_count: number
  issues_count: number
  merge_requests_count: number
}

/** Groups and projects that a user is a direct member of, and what they opened. */
export function associations(db: Database, userId: number): Associations {
  return db.one<Associations>(
    `SELECT count(namespace_id) AS groups_count, count(project_id) AS projects_count,
       (SELECT count(*) FROM issues WHERE author_id = ?) AS issues_count,
       (SELECT count(*) FROM merge_requests WHERE author_id = ?) AS merge_requests_count
     FROM members WHERE user_id = ?`,
    userId,
    userId,
    userId,
  )!
}
