import { jsonList, q, type Database } from '../../../db/database.ts'
import { boundedCount } from '../../../db/lists.ts'
import type { Rows } from '../../../db/rows.ts'
import { table } from '../../../db/table.ts'
import type { ReleaseLinkRow } from '../types.ts'

/** The links of the given releases, newest first. Releases without links have no entry. */
export function linksOf(db: Database, releaseIds: readonly number[]): Map<number, ReleaseLinkRow[]> {
  const rows = db.many<ReleaseLinkRow>(
    'SELECT * FROM release_links WHERE release_id IN (SELECT value FROM json_each(?)) ORDER BY id DESC',
    jsonList(releaseIds),
  )
  const byRelease = new Map<number, ReleaseLinkRow[]>()
  for (const row of rows) {
    const existing = byRelease.get(row.release_id)
    if (existing) existing.push(row)
    else byRelease.set(row.release_id, [row])
  }
  return byRelease
}

/** One page of the links of a release, newest first. */
export function list(
  db: Database,
  releaseId: number,
  paging: { limit: number; offset: number },
): Rows<ReleaseLinkRow> {
  const query = q.selectFrom('release_links').where('release_id', '=', releaseId)
  const rows = db.all(query.selectAll().orderBy('id', 'desc').limit(paging.limit).offset(paging.offset))
  return { rows, total: boundedCount(db, query.select('id')) }
}

/** A link of a release by its id. */
export function byId(db: Database, releaseId: number, id: number): ReleaseLinkRow | undefined {
  return db.get(
    q.selectFrom('release_links').selectAll().where('release_id', '=', releaseId).where('id', '=', id),
  )
}

/** The link of a release with a path, such as `/binaries/tool`. */
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
