import type { Insertable, Updateable } from 'kysely'

import { jsonList, q, type Database } from '../../db/database.ts'
import type { LabelsTable } from '../../db/schema.gen.ts'
import type { LabelRow } from './label.ts'
import type { LabelOwner, Place } from './owner.ts'

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

/** Labels by id. */
export function labelsByIds(db: Database, ids: readonly number[]): Map<number, LabelRow> {
  const rows = db.many<LabelRow>(
    'SELECT * FROM labels WHERE id IN (SELECT value FROM json_each(?))',
    jsonList(ids),
  )
  return new Map(rows.map((row) => [row.id, row]))
}

/** All labels that a project can use, its own and those of the groups above it, by title. */
export function availableLabels(db: Database, project: Place): LabelRow[] {
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
