import type { Insertable, Updateable } from 'kysely'

import { jsonList, q, type Database } from '../../../db/database.ts'
import type { MilestonesTable } from '../../../db/schema.gen.ts'
import type { MilestoneRow } from './milestone.ts'
import { ownerColumns, projectOwner, type MilestoneOwner, type MilestoneScope } from './owner.ts'

/** Rows with the path of their owner; `m` is the milestone. */
export const SELECT = `SELECT m.*, coalesce(g.full_path, n.full_path || '/' || p.path) AS owner_path FROM milestones m
  LEFT JOIN namespaces g ON g.id = m.group_id
  LEFT JOIN projects p ON p.id = m.project_id LEFT JOIN namespaces n ON n.id = p.namespace_id`

export function byId(db: Database, id: number): MilestoneRow | undefined {
  return db.one<MilestoneRow>(`${SELECT} WHERE m.id = ?`, id)
}

/** Milestones by id. */
export function milestonesByIds(db: Database, ids: readonly number[]): Map<number, MilestoneRow> {
  const rows = db.many<MilestoneRow>(
    `${SELECT} WHERE m.id IN (SELECT value FROM json_each(?))`,
    jsonList(ids),
  )
  return new Map(rows.map((row) => [row.id, row]))
}

/** The milestone of that id if a project or group can use it: its own, or one of a group above it. */
export function usableMilestone(db: Database, owner: MilestoneOwner, id: number): MilestoneRow | undefined {
  const found = byId(db, id)
  if (!found) return undefined
  const isOwn = owner.kind === 'project' && found.project_id === owner.id
  const isAbove = found.group_id !== null && (JSON.parse(owner.lineage) as number[]).includes(found.group_id)
  return isOwn || isAbove ? found : undefined
}

/** The milestone of that id if the project can use it: its own, or one of a group above it. */
export function milestoneFor(db: Database, project: MilestoneScope, id: number): MilestoneRow | undefined {
  return usableMilestone(db, projectOwner(project), id)
}

/** The milestone of that title that a project can use; its own goes before those of groups. */
export function milestoneTitled(
  db: Database,
  project: MilestoneScope,
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

/** The next number of a milestone of this owner; numbers of removed ones do not come back. */
function nextIid(db: Database, owner: MilestoneOwner): number {
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

/** What a new milestone is stored with; owner and number follow. */
export type NewRow = Omit<Insertable<MilestonesTable>, 'id' | 'iid' | 'project_id' | 'group_id'>

export function insert(db: Database, owner: MilestoneOwner, row: NewRow): MilestoneRow {
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

const BELOW = `WITH RECURSIVE tree (id) AS (
    SELECT ? UNION ALL SELECT n.id FROM namespaces n JOIN tree ON n.parent_id = tree.id)`

/** True when a title is used by another milestone that meets this owner's somewhere: above it, or below a group. */
export function isTaken(
  db: Database,
  owner: MilestoneOwner,
  title: string,
  exceptIds: readonly number[],
): boolean {
  const isGroup = owner.kind === 'group'
  return (
    db.one(
      `${BELOW} SELECT 1 FROM milestones m WHERE m.title = ? AND m.id NOT IN (SELECT value FROM json_each(?)) AND (
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

/** Ids of the milestones of that title of all projects below a group. */
export function idsInProjectsBelow(db: Database, groupId: number, title: string): number[] {
  const rows = db.many<{ id: number }>(
    `${BELOW} SELECT m.id FROM milestones m JOIN projects p ON p.id = m.project_id
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

/** Whatever names one of these milestones names another one from now on. */
export function moveUses(db: Database, ids: readonly number[], to: number): void {
  for (const table of USES)
    db.exec(
      // A release that has both already keeps the other one.
      `UPDATE OR IGNORE ${table} SET milestone_id = ? WHERE milestone_id IN (SELECT value FROM json_each(?))`,
      to,
      jsonList(ids),
    )
}
