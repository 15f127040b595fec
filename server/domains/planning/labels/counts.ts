import { sql } from 'kysely'

import { jsonList, type Database } from '../../../db/database.ts'
import { selectAll } from '../../../db/lists.ts'
import type { visibleProjects } from '../../members/index.ts'
import type { LabelCounts } from './entity.ts'
import type { LabelOwner } from './owner.ts'
import { notHidden, projectsOf, readable } from './reach.ts'

type Viewer = Parameters<typeof visibleProjects>[0]

interface Counted {
  readonly label_id: number
  readonly state: string
  readonly count: number
}

const NONE: LabelCounts = { open_issues_count: 0, closed_issues_count: 0, open_merge_requests_count: 0 }

/** How often labels are used in a project, or in all below a group, as far as the viewer may see it. */
export function countsOf(
  db: Database,
  viewer: Viewer,
  owner: LabelOwner,
  ids: readonly number[],
): Map<number, LabelCounts> {
  const counts = new Map(ids.map((id) => [id, NONE]))
  const add = (id: number, more: Partial<LabelCounts>): void => {
    counts.set(id, { ...counts.get(id)!, ...more })
  }
  for (const { label_id, state, count } of issues(db, viewer, owner, ids))
    add(label_id, state === 'opened' ? { open_issues_count: count } : { closed_issues_count: count })
  for (const { label_id, count } of requests(db, viewer, owner, ids))
    add(label_id, { open_merge_requests_count: count })
  return counts
}

function issues(db: Database, viewer: Viewer, owner: LabelOwner, ids: readonly number[]): Counted[] {
  return selectAll(
    db,
    sql<Counted>`SELECT x.label_id, i.state, count(*) AS count FROM issue_labels x JOIN issues i ON i.id = x.issue_id
      WHERE x.label_id IN (SELECT value FROM json_each(${jsonList(ids)}))
        AND +i.project_id IN (SELECT p.id FROM projects p WHERE ${projectsOf(owner)} AND ${readable(viewer, 'issues')})
        AND ${notHidden(viewer)} GROUP BY x.label_id, i.state`,
  )
}

function requests(db: Database, viewer: Viewer, owner: LabelOwner, ids: readonly number[]): Counted[] {
  const projects = sql`SELECT p.id FROM projects p WHERE ${projectsOf(owner)} AND ${readable(viewer, 'merge_requests')}`
  return selectAll(
    db,
    sql<Counted>`SELECT x.label_id, i.state, count(*) AS count FROM merge_request_labels x
      JOIN merge_requests i ON i.id = x.merge_request_id
      WHERE x.label_id IN (SELECT value FROM json_each(${jsonList(ids)})) AND +i.state = 'opened'
        AND +i.project_id IN (${projects}) GROUP BY x.label_id`,
  )
}
