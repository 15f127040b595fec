import { jsonList, type Database } from '../../../db/database.ts'
import { table } from '../../../db/table.ts'
import type { LabelRow } from './label.ts'
import type { PlanningOwner, PlanningScope } from '../types-owner.ts'

export const { byId, insert, update } = table('labels')

export function remove(db: Database, ids: readonly number[]): void {
  db.exec('DELETE FROM labels WHERE id IN (SELECT value FROM json_each(?))', jsonList(ids))
}

/** Returns labels by ID. */
export function labelsByIds(db: Database, ids: readonly number[]): Map<number, LabelRow> {
  const rows = db.many<LabelRow>(
    'SELECT * FROM labels WHERE id IN (SELECT value FROM json_each(?))',
    jsonList(ids),
  )
  return new Map(rows.map((row) => [row.id, row]))
}

/** Lists all labels that a project can use: its own and those of its parent groups, by title. */
export function availableLabels(db: Database, project: PlanningScope): LabelRow[] {
  return db.many<LabelRow>(
    `SELECT * FROM labels WHERE project_id = ?
     UNION ALL SELECT * FROM labels WHERE group_id IN (SELECT value FROM json_each(?)) ORDER BY title, id`,
    project.id,
    project.lineage,
  )
}

/** Lists the labels with these titles that an owner has or inherits: its own first, then those of the nearest group. */
export function titled(db: Database, owner: PlanningOwner, titles: readonly string[]): LabelRow[] {
  const groups = JSON.parse(owner.lineage) as number[]
  const rows = db.many<LabelRow>(
    `SELECT * FROM labels WHERE title IN (SELECT value FROM json_each(?))
       AND (project_id = ? OR group_id IN (SELECT value FROM json_each(?)))`,
    jsonList(titles),
    owner.kind === 'project' ? owner.id : null,
    owner.lineage,
  )
  const rank = (row: LabelRow): number =>
    row.group_id === null ? groups.length : groups.indexOf(row.group_id)
  return rows.sort((a, b) => rank(b) - rank(a))
}

/** Returns the priorities of labels in a project, by label ID. */
export function priorities(db: Database, projectId: number, ids: readonly number[]): Map<number, number> {
  const rows = db.many<{ label_id: number; priority: number }>(
    `SELECT label_id, priority FROM label_priorities
     WHERE project_id = ? AND label_id IN (SELECT value FROM json_each(?))`,
    projectId,
    jsonList(ids),
  )
  return new Map(rows.map((row) => [row.label_id, row.priority]))
}

/** Sets the priority of a label in a project. Null removes it. */
export function setPriority(db: Database, projectId: number, labelId: number, priority: number | null): void {
  if (priority === null) {
    db.exec('DELETE FROM label_priorities WHERE project_id = ? AND label_id = ?', projectId, labelId)
    return
  }
  db.exec(
    `INSERT INTO label_priorities (project_id, label_id, priority) VALUES (?, ?, ?)
     ON CONFLICT (project_id, label_id) DO UPDATE SET priority = excluded.priority`,
    projectId,
    labelId,
    priority,
  )
}

/** Returns the label of a group with a title, without inherited labels. */
export function ofGroup(db: Database, groupId: number, title: string): LabelRow | undefined {
  return db.one<LabelRow>('SELECT * FROM labels WHERE group_id = ? AND title = ?', groupId, title)
}

/** Lists the labels with a title of all projects below a group. */
export function inProjectsBelow(db: Database, groupId: number, title: string): LabelRow[] {
  return db.many<LabelRow>(
    `WITH RECURSIVE tree (id) AS (SELECT ? UNION ALL SELECT n.id FROM namespaces n JOIN tree ON n.parent_id = tree.id)
     SELECT l.* FROM labels l JOIN projects p ON p.id = l.project_id
     WHERE l.title = ? AND p.namespace_id IN (SELECT id FROM tree)`,
    groupId,
    title,
  )
}

/** Returns the IDs of all projects below a group. */
export function projectIdsBelow(db: Database, groupId: number): number[] {
  const rows = db.many<{ id: number }>(
    `WITH RECURSIVE tree (id) AS (SELECT ? UNION ALL SELECT n.id FROM namespaces n JOIN tree ON n.parent_id = tree.id)
     SELECT p.id FROM projects p WHERE p.namespace_id IN (SELECT id FROM tree)`,
    groupId,
  )
  return rows.map((row) => row.id)
}
