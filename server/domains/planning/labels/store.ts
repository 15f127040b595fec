import type { Insertable, Updateable } from 'kysely'

import { jsonList, q, type Database } from '../../../db/database.ts'
import type { LabelsTable } from '../../../db/schema.gen.ts'
import type { LabelRow } from './label.ts'
import type { LabelOwner, LabelScope } from './owner.ts'

/** Stores a label. Throws `UniqueViolation` when its owner has one of that title. */
export function insert(db: Database, row: Insertable<LabelsTable>): LabelRow {
  return db.get<LabelRow>(q.insertInto('labels').values(row).returningAll())!
}

/** Changes columns. Throws `UniqueViolation` as `insert` does. */
export function update(db: Database, id: number, changes: Updateable<LabelsTable>): LabelRow {
  return db.get<LabelRow>(q.updateTable('labels').set(changes).where('id', '=', id).returningAll())!
}

export function remove(db: Database, ids: readonly number[]): void {
  db.exec('DELETE FROM labels WHERE id IN (SELECT value FROM json_each(?))', jsonList(ids))
}

export function byId(db: Database, id: number): LabelRow | undefined {
  return db.one<LabelRow>('SELECT * FROM labels WHERE id = ?', id)
}

/** Labels by id. */
export function labelsByIds(db: Database, ids: readonly number[]): Map<number, LabelRow> {
  const rows = db.many<LabelRow>(
    'SELECT * FROM labels WHERE id IN (SELECT value FROM json_each(?))',
    jsonList(ids),
  )
  return new Map(rows.map((row) => [row.id, row]))
}

/** All labels that a project can use, its own and those of the groups above it, by title. */
export function availableLabels(db: Database, project: LabelScope): LabelRow[] {
  return db.many<LabelRow>(
    `SELECT * FROM labels WHERE project_id = ?
     UNION ALL SELECT * FROM labels WHERE group_id IN (SELECT value FROM json_each(?)) ORDER BY title, id`,
    project.id,
    project.lineage,
  )
}

/** Labels of some titles that an owner has or inherits: its own first, then those of the nearest group. */
export function titled(db: Database, owner: LabelOwner, titles: readonly string[]): LabelRow[] {
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

/** Ranks that a project gives to some labels. */
export function priorities(db: Database, projectId: number, ids: readonly number[]): Map<number, number> {
  const rows = db.many<{ label_id: number; priority: number }>(
    `SELECT label_id, priority FROM label_priorities
     WHERE project_id = ? AND label_id IN (SELECT value FROM json_each(?))`,
    projectId,
    jsonList(ids),
  )
  return new Map(rows.map((row) => [row.label_id, row.priority]))
}

/** Ranks a label in a project; null takes the rank away. */
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

/** The label of that title that a group itself has. */
export function ofGroup(db: Database, groupId: number, title: string): LabelRow | undefined {
  return db.one<LabelRow>('SELECT * FROM labels WHERE group_id = ? AND title = ?', groupId, title)
}

/** The labels of that title of all projects below a group. */
export function inProjectsBelow(db: Database, groupId: number, title: string): LabelRow[] {
  return db.many<LabelRow>(
    `WITH RECURSIVE tree (id) AS (SELECT ? UNION ALL SELECT n.id FROM namespaces n JOIN tree ON n.parent_id = tree.id)
     SELECT l.* FROM labels l JOIN projects p ON p.id = l.project_id
     WHERE l.title = ? AND p.namespace_id IN (SELECT id FROM tree)`,
    groupId,
    title,
  )
}

/** Ids of all projects below a group. */
export function projectIdsBelow(db: Database, groupId: number): number[] {
  const rows = db.many<{ id: number }>(
    `WITH RECURSIVE tree (id) AS (SELECT ? UNION ALL SELECT n.id FROM namespaces n JOIN tree ON n.parent_id = tree.id)
     SELECT p.id FROM projects p WHERE p.namespace_id IN (SELECT id FROM tree)`,
    groupId,
  )
  return rows.map((row) => row.id)
}
