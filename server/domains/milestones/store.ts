import { jsonList, type Database } from '../../db/database.ts'
import type { MilestoneRow } from './milestone.ts'
import type { Place } from './owner.ts'

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

/** The milestone of that id if the project can use it: its own, or one of a group above it. */
export function milestoneFor(db: Database, project: Place, id: number): MilestoneRow | undefined {
  const found = byId(db, id)
  if (!found) return undefined
  const groups = JSON.parse(project.lineage) as number[]
  const isUsable = found.group_id === null ? found.project_id === project.id : groups.includes(found.group_id)
  return isUsable ? found : undefined
}

/** The milestone of that title that a project can use; its own goes before those of groups. */
export function milestoneTitled(db: Database, project: Place, title: string): MilestoneRow | undefined {
  return db.one<MilestoneRow>(
    `${SELECT} WHERE m.title = ? AND (m.project_id = ? OR m.group_id IN (SELECT value FROM json_each(?)))
     ORDER BY m.project_id IS NULL, m.id LIMIT 1`,
    title,
    project.id,
    project.lineage,
  )
}
