import type { Database } from '../../../db/database.ts'
import type { JobRow } from '../jobs/store.ts'
import { familyBelow, lastSuccess, newestWithArchive } from './store.ts'

/**
 * The job of a name with an archive in the last successful pipeline of a branch or tag, or in a pipeline that this one
 * made (spec ci 2.7).
 */
export function latestWithArchive(
  db: Database,
  place: { readonly project_id: number; readonly ref: string },
  name: string,
): JobRow | undefined {
  const found = [false, true].flatMap((tag) => lastSuccess(db, { ...place, tag }) ?? [])
  const newest = found.sort((a, b) => b.id - a.id)[0]
  return newest && newestWithArchive(db, familyBelow(db, newest.id), name)
}
