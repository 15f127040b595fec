import type { Database } from '../../../db/database.ts'
import { usersById, type UserBasicRow } from '../../users/index.ts'
import type { AwardRow } from './store.ts'

/** An emoji with whoever gave it. */
export interface AwardView extends AwardRow {
  readonly user: UserBasicRow
}

/** Adds the people to emoji, with one query for all. */
export function viewsOf(db: Database, rows: readonly AwardRow[]): AwardView[] {
  const people = usersById(
    db,
    rows.map((row) => row.user_id),
  )
  return rows.map((row) => ({ ...row, user: people.get(row.user_id)! }))
}
