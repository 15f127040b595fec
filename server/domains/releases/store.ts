import type { Insertable, Updateable } from 'kysely'

import { q, type Database } from '../../db/database.ts'
import type { ReleasesTable } from '../../db/schema.gen.ts'
import type { ReleaseRow } from './release.ts'

export function byId(db: Database, id: number): ReleaseRow | undefined {
  return db.get(q.selectFrom('releases').selectAll().where('id', '=', id))
}

/** The release of a tag. */
export function byTag(db: Database, projectId: number, tag: string): ReleaseRow | undefined {
  return db.get(
    q.selectFrom('releases').selectAll().where('project_id', '=', projectId).where('tag', '=', tag),
  )
}

/** The release of a project that came out last, or is the last one to come out. */
export function latest(db: Database, projectId: number): ReleaseRow | undefined {
  return db.one<ReleaseRow>(
    'SELECT * FROM releases WHERE project_id = ? ORDER BY released_at DESC, id DESC LIMIT 1',
    projectId,
  )
}

export function insert(db: Database, row: Insertable<ReleasesTable>): ReleaseRow {
  return db.get(q.insertInto('releases').values(row).returningAll())!
}

export function update(db: Database, id: number, columns: Updateable<ReleasesTable>): ReleaseRow {
  return db.get(q.updateTable('releases').set(columns).where('id', '=', id).returningAll())!
}

export function remove(db: Database, id: number): void {
  db.run(q.deleteFrom('releases').where('id', '=', id))
}
