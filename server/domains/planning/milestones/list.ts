import { sql, type RawBuilder, type SqlBool } from 'kysely'

import { jsonList, type Database } from '../../../db/database.ts'
import { boundedCount, contains, selectAll } from '../../../db/lists.ts'
import { labelled as plannedProjects, treeOf } from '../labels/reach.ts'
import { visibleGroups } from '../../members/index.ts'
import type { MilestoneRow } from './milestone.ts'
import type { MilestoneOwner } from './owner.ts'
import { SELECT } from './store.ts'

type Condition = RawBuilder<SqlBool>
type Viewer = Parameters<typeof visibleGroups>[0]

/** Which milestones are asked for. */
export interface MilestoneFilter {
  /** Says nothing where milestones of groups above are asked for too. */
  readonly iids?: readonly number[] | undefined
  readonly state: 'active' | 'closed' | 'all'
  readonly title?: string | undefined
  readonly search?: string | undefined
  readonly search_title?: string | undefined
  readonly updated_after?: string | undefined
  readonly updated_before?: string | undefined
  /** A day on which they run. */
  readonly containing_date?: string | undefined
  /** Also those of the groups above. */
  readonly above: boolean
  /** Of a group: also those of the groups and projects below that the viewer sees. */
  readonly below: boolean
}

function sources(viewer: Viewer, owner: MilestoneOwner, filter: MilestoneFilter): Condition {
  const own = sql<SqlBool>`m.${sql.ref(`${owner.kind}_id`)} = ${owner.id}`
  const parts = [own]
  if (filter.above) parts.push(sql<SqlBool>`m.group_id IN (SELECT value FROM json_each(${owner.lineage}))`)
  if (filter.below && owner.kind === 'group') {
    const tree = treeOf(owner.id)
    parts.push(
      sql<SqlBool>`m.group_id IN (SELECT n.id FROM namespaces n WHERE n.id IN (${tree}) AND ${visibleGroups(viewer)})`,
      sql<SqlBool>`m.project_id IN (SELECT p.id FROM projects p WHERE p.namespace_id IN (${tree}) AND ${plannedProjects(viewer)})`,
    )
  }
  return sql<SqlBool>`(${sql.join(parts, sql` OR `)})`
}

function conditions(filter: MilestoneFilter): Condition[] {
  const { iids, state, title, search, search_title, updated_after, updated_before, containing_date } = filter
  const parts: Condition[] = []
  if (iids && !filter.above)
    parts.push(sql<SqlBool>`m.iid IN (SELECT value FROM json_each(${jsonList(iids)}))`)
  if (state !== 'all') parts.push(sql<SqlBool>`m.state = ${state}`)
  if (title !== undefined) parts.push(sql<SqlBool>`m.title = ${title}`)
  if (search)
    parts.push(sql<SqlBool>`(${contains('m.title', search)} OR ${contains('m.description', search)})`)
  if (search_title) parts.push(contains('m.title', search_title))
  if (updated_after) parts.push(sql<SqlBool>`m.updated_at >= ${updated_after}`)
  if (updated_before) parts.push(sql<SqlBool>`m.updated_at <= ${updated_before}`)
  if (containing_date)
    parts.push(sql<SqlBool>`((m.start_date IS NOT NULL OR m.due_date IS NOT NULL)
      AND (m.start_date IS NULL OR m.start_date <= ${containing_date})
      AND (m.due_date IS NULL OR m.due_date >= ${containing_date}))`)
  return parts
}

/** One page of milestones, the newest first. */
export function list(
  db: Database,
  viewer: Viewer,
  request: { readonly owner: MilestoneOwner; readonly filter: MilestoneFilter },
  page: { readonly limit: number; readonly offset: number },
): { rows: MilestoneRow[]; total: number } {
  const { owner, filter } = request
  const where = sql.join([sources(viewer, owner, filter), ...conditions(filter)], sql` AND `)
  const query = sql<MilestoneRow>`${sql.raw(SELECT)} WHERE ${where} ORDER BY m.id DESC LIMIT ${page.limit} OFFSET ${page.offset}`
  return {
    rows: selectAll(db, query),
    total: boundedCount(db, sql`SELECT m.id FROM milestones m WHERE ${where}`),
  }
}
