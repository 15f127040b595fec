import type { Database } from '../../../db/database.ts'

type Columns = Readonly<Record<string, unknown>>

/** What runners and their processes said last, which the database gets later. Runners by id, processes by a key of theirs. */
const instances = new WeakMap<Database, Map<number | string, Columns>>()

function seenIn(db: Database): Map<number | string, Columns> {
  const present = instances.get(db)
  if (present) return present
  const made = new Map<number | string, Columns>()
  instances.set(db, made)
  return made
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
