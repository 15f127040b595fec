import { sql, type RawBuilder } from 'kysely'
import type { Database } from '../../../db/database.ts'
import { boundedCount, selectAll } from '../../../db/lists.ts'
import type { Ctx } from '../../../ctx.ts'
import { projectsWithFeature } from '../../members/index.ts'

/** A direct membership. */
export interface MembershipRow {
  source_id: number
  source_name: string
  source_type: 'Project' | 'Namespace'
  access_level: number
}

/** Returns one page of the direct memberships of a user, the oldest first. */
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

/** Counts of a user's memberships and issuables. */
export interface Associations {
  groups_count: number
  projects_count: number
  issues_count: number
  merge_requests_count: number
}

/** Counts the groups and projects of which a user is a direct member, and the issuables that the user created. */
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

type Viewer = Pick<Ctx, 'actor' | 'now'>

/** Numbers of open issuables that are assigned to a user, or that the user is requested to review. */
export interface OpenIssuables {
  readonly assigned_issues: number
  readonly assigned_merge_requests: number
  readonly review_requested_merge_requests: number
}

/** Returns a condition for open issuables (alias `i`) that the viewer may read, in projects that are not archived. */
function isReadableAndOpen(viewer: Viewer, feature: 'issues' | 'merge_requests'): RawBuilder<unknown> {
  return sql`i.state = 'opened' AND EXISTS (SELECT 1 FROM projects p
    WHERE p.id = i.project_id AND p.archived = 0 AND ${projectsWithFeature(viewer, feature)})`
}

function countMergeRequests(db: Database, viewer: Viewer, people: 'assignees' | 'reviewers'): number {
  const table = sql.table(`merge_request_${people}`)
  return boundedCount(
    db,
    sql`SELECT a.merge_request_id FROM ${table} a CROSS JOIN merge_requests i ON i.id = a.merge_request_id
      WHERE a.user_id = ${viewer.actor.id} AND ${isReadableAndOpen(viewer, 'merge_requests')}`,
  )
}

/**
 * Counts the open issuables that are assigned to the viewer, or that the viewer is requested to review (spec core
 * 7.2).
 */
export function openWorkOf(db: Database, viewer: Viewer): OpenIssuables {
  const issues = sql`SELECT a.issue_id FROM issue_assignees a CROSS JOIN issues i ON i.id = a.issue_id
    WHERE a.user_id = ${viewer.actor.id} AND ${isReadableAndOpen(viewer, 'issues')}`
  return {
    assigned_issues: boundedCount(db, issues),
    assigned_merge_requests: countMergeRequests(db, viewer, 'assignees'),
    review_requested_merge_requests: countMergeRequests(db, viewer, 'reviewers'),
  }
}
