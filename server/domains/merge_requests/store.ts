import { q, type Database } from '../../db/database.ts'
import type { MergeRequestRow } from './merge-request.ts'

/** The merge request of that number in a project. */
export function byIid(db: Database, projectId: number, iid: number): MergeRequestRow | undefined {
  return db.one<MergeRequestRow>(
    'SELECT * FROM merge_requests WHERE project_id = ? AND iid = ?',
    projectId,
    iid,
  )
}

/** The merge request of that id. */
export function byId(db: Database, id: number): MergeRequestRow | undefined {
  return db.one<MergeRequestRow>('SELECT * FROM merge_requests WHERE id = ?', id)
}

/** What can be written; `draft` follows from the title. */
export type MergeRequestChanges = Partial<Omit<MergeRequestRow, 'id' | 'draft'>>

/** Changes columns and gives the row as it is now. */
export function update(db: Database, id: number, changes: MergeRequestChanges): MergeRequestRow {
  return db.get<MergeRequestRow>(
    q.updateTable('merge_requests').set(changes).where('id', '=', id).returningAll(),
  )!
}
