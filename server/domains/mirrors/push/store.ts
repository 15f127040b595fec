import type { Insertable, Selectable, Updateable } from 'kysely'

import { q, type Database } from '../../../db/database.ts'
import type { Rows } from '../../../db/rows.ts'
import type { RemoteMirrorsTable } from '../../../db/schema.gen.ts'
import { table } from '../../../db/table.ts'

export type RemoteMirrorRow = Selectable<RemoteMirrorsTable>

export const { byId, remove } = table('remote_mirrors')

/** Returns a push mirror of a project. */
export function find(db: Database, projectId: number, id: number): RemoteMirrorRow | undefined {
  return db.one<RemoteMirrorRow>(
    'SELECT * FROM remote_mirrors WHERE id = ? AND project_id = ?',
    id,
    projectId,
  )
}

/** Lists the push mirrors of a project, oldest first. */
export function list(
  db: Database,
  projectId: number,
  paging: { limit: number; offset: number },
): Rows<RemoteMirrorRow> {
  const rows = db.many<RemoteMirrorRow>(
    'SELECT * FROM remote_mirrors WHERE project_id = ? ORDER BY id LIMIT ? OFFSET ?',
    projectId,
    paging.limit,
    paging.offset,
  )
  return { rows, total: count(db, projectId) }
}

export function count(db: Database, projectId: number): number {
  const sql = 'SELECT count(*) AS total FROM remote_mirrors WHERE project_id = ?'
  return db.one<{ total: number }>(sql, projectId)!.total
}

/** Lists the enabled push mirrors of a project. */
export function enabledOf(db: Database, projectId: number): RemoteMirrorRow[] {
  const sql = 'SELECT * FROM remote_mirrors WHERE project_id = ? AND enabled = 1 ORDER BY id'
  return db.many<RemoteMirrorRow>(sql, projectId)
}

/** Lists the mirrors with a running update that started before `later`, or before `first` if it is the first update. */
export function stuck(db: Database, before: { first: string; later: string }): RemoteMirrorRow[] {
  return db.many<RemoteMirrorRow>(
    `SELECT * FROM remote_mirrors WHERE update_status = 'started' AND last_update_started_at < ?
     AND (last_update_at IS NOT NULL OR last_update_started_at < ?)`,
    before.later,
    before.first,
  )
}

export function insert(db: Database, row: Insertable<RemoteMirrorsTable>): RemoteMirrorRow {
  const { id } = db.run(q.insertInto('remote_mirrors').values(row))
  return byId(db, id)!
}

export function update(
  db: Database,
  id: number,
  row: Updateable<RemoteMirrorsTable>,
): RemoteMirrorRow | undefined {
  db.run(q.updateTable('remote_mirrors').set(row).where('id', '=', id))
  return byId(db, id)
}
