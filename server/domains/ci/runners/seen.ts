import type { Database } from '../../../db/database.ts'

type Columns = Readonly<Record<string, unknown>>

/** What runners and their processes said last, which the database gets later. Runners by id, processes by a key of theirs. */
function seenIn(db: Database): Map<number | string, Columns> {
  return db.instance('ci.runners_seen', () => new Map<number | string, Columns>())
}

/** Keeps columns that are newer than those stored, until the instance stops. */
export function keep(db: Database, key: number | string, columns: Columns): void {
  const seen = seenIn(db)
  seen.set(key, { ...seen.get(key), ...columns })
}

/** Forgets what was kept of a runner or process that is gone. */
export function forget(db: Database, key: number | string): void {
  seenIn(db).delete(key)
}

/** A row with what is known to be newer. */
export function newest<Row extends object>(db: Database, key: number | string, row: Row): Row {
  const kept = seenIn(db).get(key)
  return kept ? { ...row, ...kept } : row
}
