import { jsonList, q, type Database } from '../../../db/database.ts'
import { boundedCount } from '../../../db/lists.ts'
import type { Rows } from '../../../db/rows.ts'
import { table } from '../../../db/table.ts'
import type { ReleaseLinkRow } from '../types.ts'

/** Returns the links of releases by release, newest first. A release without links has no entry. */
export function linksOf(db: Database, releaseIds: readonly number[]): Map<number, ReleaseLinkRow[]> {
  const rows = db.many<ReleaseLinkRow>(
    'SELECT * FROM release_links WHERE release_id IN (SELECT value FROM json_each(?)) ORDER BY id DESC',
    jsonList(releaseIds),
  )
  return Map.groupBy(rows, (row) => row.release_id)
}

/** Returns one page of the links of a release, newest first. */
export function list(
  db: Database,
  releaseId: number,
  paging: { limit: number; offset: number },
): Rows<ReleaseLinkRow> {
  const query = q.selectFrom('release_links').where('release_id', '=', releaseId)
  const rows = db.all(query.selectAll().orderBy('id', 'desc').limit(paging.limit).offset(paging.offset))
  return { rows, total: boundedCount(db, query.select('id')) }
}

/** Returns a link of a release by its ID. */
export function byId(db: Database, releaseId: number, id: number): ReleaseLinkRow | undefined {
  return db.get(
    q.selectFrom('release_links').selectAll().where('release_id', '=', releaseId).where('id', '=', id),
  )
}

/** Returns the link of a release with a path, such as `/binaries/tool`. */
export function byFilepath(db: Database, releaseId: number, filepath: string): ReleaseLinkRow | undefined {
  return db.get(
    q
      .selectFrom('release_links')
      .selectAll()
      .where('release_id', '=', releaseId)
      .where('filepath', '=', filepath),
  )
}

export const { insert, update, remove } = table('release_links')
