import type { Database } from '../../../db/database.ts'
import type { MergeRequestRow } from '../merge-request.ts'
import * as store from './store.ts'
import type { DiffVersionRow } from './store.ts'

/** The newest version of a merge request; undefined until the first one is made, a moment after it was opened. */
export function latestDiff(
  db: Database,
  request: Pick<MergeRequestRow, 'latest_diff_id'>,
): DiffVersionRow | undefined {
  return request.latest_diff_id === null ? undefined : store.byId(db, request.latest_diff_id)
}

/** All versions of a merge request, newest first. */
export function diffsOf(db: Database, request: Pick<MergeRequestRow, 'id'>): readonly DiffVersionRow[] {
  return store.list(db, request.id).rows
}
