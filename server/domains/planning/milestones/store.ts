import { type Insertable, type Updateable, type Selectable, sql, type RawBuilder, type SqlBool } from 'kysely'

import type { Ctx } from '../../../ctx.ts'
import { jsonList, q, type Database } from '../../../db/database.ts'
import { boundedCount, contains, selectAll } from '../../../db/lists.ts'
import type { MilestonesTable } from '../../../db/schema.gen.ts'
import { projectsWithFeature, visibleGroups } from '../../members/index.ts'
import { projectsWithPlanning, treeOf } from '../labels/store-visibility.ts'
import { visibleIssues } from '../issuables/list/store-where.ts'
import { ownerColumns, projectOwner, type PlanningOwner, type PlanningScope } from '../types-owner.ts'
import type { BurndownRow } from './entity.ts'

/** A milestone as stored, with the path of its owner for its URL. */
export interface MilestoneRow extends Selectable<MilestonesTable> {
  /** The full path of its project or group. */
  readonly owner_path: string
}

/** Selects milestones (alias `m`) with the path of their owner. */
export const SELECT = `SELECT m.*, coalesce(g.full_path, n.full_path || '/' || p.path) AS owner_path FROM milestones m
  LEFT JOIN namespaces g ON g.id = m.group_id
  LEFT JOIN projects p ON p.id = m.project_id LEFT JOIN namespaces n ON n.id = p.namespace_id`

export function byId(db: Database, id: number): MilestoneRow | undefined {
  return db.one<MilestoneRow>(`${SELECT} WHERE m.id = ?`, id)
}

/** Returns milestones by ID. */
export function milestonesByIds(db: Database, ids: readonly number[]): Map<number, MilestoneRow> {
  const rows = db.many<MilestoneRow>(
    `${SELECT} WHERE m.id IN (SELECT value FROM json_each(?))`,
    jsonList(ids),
  )
  return new Map(rows.map((row) => [row.id, row]))
}

/** Returns the milestone with this ID if it belongs to the owner or to one of its parent groups. */
export function usableMilestone(db: Database, owner: PlanningOwner, id: number): MilestoneRow | undefined {
  const milestone = byId(db, id)
  if (!milestone) return undefined
  const isOwn = owner.kind === 'project' && milestone.project_id === owner.id
  const isInherited =
    milestone.group_id !== null && (JSON.parse(owner.lineage) as number[]).includes(milestone.group_id)
  return isOwn || isInherited ? milestone : undefined
}

/** Returns the milestone with this ID if it belongs to the project or to one of its parent groups. */
export function milestoneFor(db: Database, project: PlanningScope, id: number): MilestoneRow | undefined {
  return usableMilestone(db, projectOwner(project), id)
}

/** Returns the milestone with a title that a project can use: of the project, or else of a parent group. */
export function milestoneTitled(
  db: Database,
  project: PlanningScope,
  title: string,
): MilestoneRow | undefined {
  return db.one<MilestoneRow>(
    `${SELECT} WHERE m.title = ? AND (m.project_id = ? OR m.group_id IN (SELECT value FROM json_each(?)))
     ORDER BY m.project_id IS NULL, m.id LIMIT 1`,
    title,
    project.id,
    project.lineage,
  )
}

/** Returns the next IID of an owner. IIDs of deleted milestones are not used again. */
function nextIid(db: Database, owner: PlanningOwner): number {
  const { project_id, group_id } = ownerColumns(owner)
  const column = owner.kind === 'project' ? 'project_id' : 'group_id'
  return db.one<{ last_value: number }>(
    `INSERT INTO internal_ids (project_id, group_id, usage, last_value) VALUES (?, ?, 'milestones', 1)
     ON CONFLICT (${column}, usage) WHERE ${column} IS NOT NULL DO UPDATE SET last_value = last_value + 1
     RETURNING last_value`,
    project_id,
    group_id,
  )!.last_value
}

/** The columns of a new milestone without owner and IID. */
export type NewRow = Omit<Insertable<MilestonesTable>, 'id' | 'iid' | 'project_id' | 'group_id'>

export function insert(db: Database, owner: PlanningOwner, row: NewRow): MilestoneRow {
  const values = { ...row, ...ownerColumns(owner), iid: nextIid(db, owner) }
  const { id } = db.run(q.insertInto('milestones').values(values))
  return byId(db, id)!
}

export function update(db: Database, id: number, changes: Updateable<MilestonesTable>): MilestoneRow {
  db.run(q.updateTable('milestones').set(changes).where('id', '=', id))
  return byId(db, id)!
}

export function remove(db: Database, ids: readonly number[]): void {
  db.exec('DELETE FROM milestones WHERE id IN (SELECT value FROM json_each(?))', jsonList(ids))
}

const GROUP_TREE = `WITH RECURSIVE tree (id) AS (
    SELECT ? UNION ALL SELECT n.id FROM namespaces n JOIN tree ON n.parent_id = tree.id)`

/** Whether another milestone uses the title: in the owner, in a parent group, or below the group. */
export function isTaken(
  db: Database,
  owner: PlanningOwner,
  title: string,
  exceptIds: readonly number[],
): boolean {
  const isGroup = owner.kind === 'group'
  return (
    db.one(
      `${GROUP_TREE} SELECT 1 FROM milestones m WHERE m.title = ? AND m.id NOT IN (SELECT value FROM json_each(?)) AND (
         m.project_id = ? OR m.group_id IN (SELECT value FROM json_each(?))
         OR m.group_id IN (SELECT id FROM tree)
         OR m.project_id IN (SELECT p.id FROM projects p WHERE p.namespace_id IN (SELECT id FROM tree))) LIMIT 1`,
      isGroup ? owner.id : null,
      title,
      jsonList(exceptIds),
      isGroup ? null : owner.id,
      owner.lineage,
    ) !== undefined
  )
}

/** Returns the IDs of milestones with a title in all projects below a group. */
export function idsInProjectsBelow(db: Database, groupId: number, title: string): number[] {
  const rows = db.many<{ id: number }>(
    `${GROUP_TREE} SELECT m.id FROM milestones m JOIN projects p ON p.id = m.project_id
     WHERE m.title = ? AND p.namespace_id IN (SELECT id FROM tree)`,
    groupId,
    title,
  )
  return rows.map((row) => row.id)
}

const USES = [
  'issues',
  'merge_requests',
  'resource_milestone_events',
  'boards',
  'board_lists',
  'release_milestones',
] as const

/** Replaces milestones by another one in all tables that refer to them. */
export function moveUses(db: Database, ids: readonly number[], to: number): void {
  for (const table of USES)
    db.exec(
      // A release that has both milestones keeps only the new one.
      `UPDATE OR IGNORE ${table} SET milestone_id = ? WHERE milestone_id IN (SELECT value FROM json_each(?))`,
      to,
      jsonList(ids),
    )
}

type Condition = RawBuilder<SqlBool>

type Viewer = Parameters<typeof visibleGroups>[0]

/** The filters of a list of milestones. */
interface MilestoneFilter {
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
  /** Includes the milestones of parent groups. */
  readonly includeAncestors: boolean
  /** For groups: includes the milestones of subgroups and projects that the viewer may see. */
  readonly includeDescendants: boolean
}

function ownerCondition(viewer: Viewer, owner: PlanningOwner, filter: MilestoneFilter): Condition {
  const conditions = [sql<SqlBool>`m.${sql.ref(`${owner.kind}_id`)} = ${owner.id}`]
  if (filter.includeAncestors)
    conditions.push(sql<SqlBool>`m.group_id IN (SELECT value FROM json_each(${owner.lineage}))`)
  if (filter.includeDescendants && owner.kind === 'group') {
    const tree = treeOf(owner.id)
    conditions.push(
      sql<SqlBool>`m.group_id IN (SELECT n.id FROM namespaces n WHERE n.id IN (${tree}) AND ${visibleGroups(viewer)})`,
      sql<SqlBool>`m.project_id IN (SELECT p.id FROM projects p WHERE p.namespace_id IN (${tree}) AND ${projectsWithPlanning(viewer)})`,
    )
  }
  return sql<SqlBool>`(${sql.join(conditions, sql` OR `)})`
}

function filterConditions(filter: MilestoneFilter): Condition[] {
  const { iids, state, title, search, search_title, updated_after, updated_before, containing_date } = filter
  const conditions: Condition[] = []
  if (iids && !filter.includeAncestors)
    conditions.push(sql<SqlBool>`m.iid IN (SELECT value FROM json_each(${jsonList(iids)}))`)
  if (state !== 'all') conditions.push(sql<SqlBool>`m.state = ${state}`)
  if (title !== undefined) conditions.push(sql<SqlBool>`m.title = ${title}`)
  if (search)
    conditions.push(sql<SqlBool>`(${contains('m.title', search)} OR ${contains('m.description', search)})`)
  if (search_title) conditions.push(contains('m.title', search_title))
  if (updated_after) conditions.push(sql<SqlBool>`m.updated_at >= ${updated_after}`)
  if (updated_before) conditions.push(sql<SqlBool>`m.updated_at <= ${updated_before}`)
  if (containing_date)
    conditions.push(sql<SqlBool>`((m.start_date IS NOT NULL OR m.due_date IS NOT NULL)
      AND (m.start_date IS NULL OR m.start_date <= ${containing_date})
      AND (m.due_date IS NULL OR m.due_date >= ${containing_date}))`)
  return conditions
}

/** Returns one page of milestones, newest first. */
export function list(
  db: Database,
  viewer: Viewer,
  request: { readonly owner: PlanningOwner; readonly filter: MilestoneFilter },
  page: { readonly limit: number; readonly offset: number },
): { rows: MilestoneRow[]; total: number } {
  const { owner, filter } = request
  const where = sql.join([ownerCondition(viewer, owner, filter), ...filterConditions(filter)], sql` AND `)
  const query = sql<MilestoneRow>`${sql.raw(SELECT)} WHERE ${where} ORDER BY m.id DESC LIMIT ${page.limit} OFFSET ${page.offset}`
  return {
    rows: selectAll(db, query),
    total: boundedCount(db, sql`SELECT m.id FROM milestones m WHERE ${where}`),
  }
}

/** Lists the creations, closings and reopenings of the current issues of a milestone, oldest first. */
export function burndownOf(ctx: Ctx, milestoneId: number): BurndownRow[] {
  const issues = sql`SELECT i.id, i.weight, i.created_at FROM issues i WHERE i.milestone_id = ${milestoneId}
    AND i.project_id IN (SELECT p.id FROM projects p WHERE ${projectsWithFeature(ctx, 'issues')}) AND ${visibleIssues(ctx)}`
  return selectAll(
    ctx.db,
    sql<BurndownRow>`WITH milestone_issues AS (${issues})
      SELECT created_at, weight, action FROM (
        SELECT i.created_at, i.weight, 'created' AS action, i.id FROM milestone_issues i
        UNION ALL SELECT e.created_at, i.weight, e.state, e.id FROM milestone_issues i
          JOIN resource_state_events e ON e.issue_id = i.id WHERE e.state IN ('closed', 'reopened')
      ) ORDER BY created_at, action = 'created' DESC, id`,
  )
}

/** Returns the milestones of some rows, by milestone ID. */
export function milestonesOf(
  db: Database,
  rows: readonly { readonly milestone_id: number | null }[],
): Map<number, MilestoneRow> {
  const ids = new Set(rows.flatMap((row) => (row.milestone_id === null ? [] : [row.milestone_id])))
  return ids.size === 0 ? new Map() : milestonesByIds(db, [...ids])
}
