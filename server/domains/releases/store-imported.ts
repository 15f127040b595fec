import type { Insertable } from 'kysely'

import { q, type Database } from '../../db/database.ts'
import type { ReleaseLinksTable, ReleasesTable } from '../../db/schema.gen.ts'

// Writes of imported releases. They publish no events.

/** Whether a project has a release of a tag. */
export function hasRelease(db: Database, projectId: number, tag: string): boolean {
  return db.one('SELECT 1 FROM releases WHERE project_id = ? AND tag = ?', projectId, tag) !== undefined
}

/** Inserts a release. Returns its ID. */
export function insertRelease(db: Database, row: Insertable<ReleasesTable>): number {
  return db.run(q.insertInto('releases').values(row)).id
}

/** Inserts a link of a release. Does nothing if the release has a link with the same name or URL. */
export function insertReleaseLink(db: Database, row: Insertable<ReleaseLinksTable>): void {
  db.run(
    q
      .insertInto('release_links')
      .values(row)
      .onConflict((conflict) => conflict.doNothing()),
  )
}
