import { sql, type RawBuilder, type SqlBool } from 'kysely'
import { jsonList, type Database } from '../../../db/database.ts'
import { boundedCount, contains, selectAll } from '../../../db/lists.ts'
import { labelled as plannedProjects, treeOf, notHidden, readable } from '../labels/store-reach.ts'
import { visibleGroups } from '../../members/index.ts'
import type { MilestoneRow } from './milestone.ts'
import type { PlanningOwner } from '../types-owner.ts'
import { SELECT } from './store.ts'
import type { Ctx } from '../../../ctx.ts'
import type { BurndownRow } from './entity.ts'

type Condition = RawBuilder<SqlBool>

type Viewer = Parameters<typeof visibleGroups>[0]

/** The filters of a list of milestones. */
export interface MilestoneFilter {
  /** Ignored if milestones of parent groups are included. */
  readonly iids?: readonly number[] | undefined
  readonly state: 'active' | 'closed' | 'all'
  readonly title?: string | undefined
  readonly search?: string | undefined
  readonly search_title?: string | undefined
  readonly updated_after?: string | undefined
  readonly updated_before?: string | undefined
  /** A day between start and due date. */
  readonly containing_date?: string | undefined
  /** Include the milestones of parent groups. */
  readonly above: boolean
  /** For groups: include the milestones of subgroups and projects that the viewer sees. */
  readonly below: boolean
}

function sources(viewer: Viewer, owner: PlanningOwner, filter: MilestoneFilter): Condition {
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

/** Returns one page of milestones, newest first. */
export function list(
  db: Database,
  viewer: Viewer,
  request: { readonly owner: PlanningOwner; readonly filter: MilestoneFilter },
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

/** Lists when the current issues of a milestone were created, closed and reopened, oldest first. */
export function burndownOf(ctx: Ctx, milestoneId: number): BurndownRow[] {
  const issues = sql`SELECT i.id, i.weight, i.created_at FROM issues i WHERE i.milestone_id = ${milestoneId}
    AND i.project_id IN (SELECT p.id FROM projects p WHERE ${readable(ctx, 'issues')}) AND ${notHidden(ctx)}`
  return selectAll(
    ctx.db,
    sql<BurndownRow>`WITH found AS (${issues})
      SELECT created_at, weight, action FROM (
        SELECT f.created_at, f.weight, 'created' AS action, f.id FROM found f
        UNION ALL SELECT e.created_at, f.weight, e.state, e.id FROM found f
          JOIN resource_state_events e ON e.issue_id = f.id WHERE e.state IN ('closed', 'reopened')
      ) ORDER BY created_at, action = 'created' DESC, id`,
  )
}
