import { sql, type RawBuilder } from 'kysely'

import type { Ctx } from '../../../ctx.ts'
import type { Database } from '../../../db/database.ts'
import { boundedCount } from '../../../db/lists.ts'
import { GUEST, REPORTER } from '../../../policy/levels.ts'
import { projectsWithFeature } from '../../members/index.ts'

type Viewer = Pick<Ctx, 'actor' | 'now'>

/** Open things that wait for somebody, by whether they are assigned or to be reviewed. */
export interface Open {
  readonly assigned_issues: number
  readonly assigned_merge_requests: number
  readonly review_requested_merge_requests: number
}

/** Records `i` of what the viewer may still read, in projects that are worked on. */
function readable(viewer: Viewer, feature: 'issues' | 'merge_requests', from: number): RawBuilder<unknown> {
  return sql`i.state = 'opened' AND EXISTS (SELECT 1 FROM projects p
    WHERE p.id = i.project_id AND p.archived = 0 AND ${projectsWithFeature(viewer, feature, from)})`
}

function requests(db: Database, viewer: Viewer, people: 'assignees' | 'reviewers'): number {
  const table = sql.table(`merge_request_${people}`)
  return boundedCount(
    db,
    sql`SELECT a.merge_request_id FROM ${table} a CROSS JOIN merge_requests i ON i.id = a.merge_request_id
      WHERE a.user_id = ${viewer.actor.id} AND ${readable(viewer, 'merge_requests', REPORTER)}`,
  )
}

/** What is open and assigned to the viewer, or waits for their review (spec core 7.2). */
export function waitingFor(db: Database, viewer: Viewer): Open {
  const issues = sql`SELECT a.issue_id FROM issue_assignees a CROSS JOIN issues i ON i.id = a.issue_id
    WHERE a.user_id = ${viewer.actor.id} AND ${readable(viewer, 'issues', GUEST)}`
  return {
    assigned_issues: boundedCount(db, issues),
    assigned_merge_requests: requests(db, viewer, 'assignees'),
    review_requested_merge_requests: requests(db, viewer, 'reviewers'),
  }
}
