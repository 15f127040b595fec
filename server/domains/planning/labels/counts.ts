import type { Database } from '../../../db/database.ts'
import type { LabelCounts } from './entity.ts'
import type { PlanningOwner } from '../types-owner.ts'
import { issues, requests, type Viewer } from './store-counts.ts'

const NONE: LabelCounts = { open_issues_count: 0, closed_issues_count: 0, open_merge_requests_count: 0 }

/** Counts the uses of labels that the viewer may see, in a project or in all projects below a group. */
export function countsOf(
  db: Database,
  viewer: Viewer,
  owner: PlanningOwner,
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
