import BetterSqlite3 from 'better-sqlite3'

import { fail } from '../lib/fail.ts'
import { storageProblem } from '../lib/files/storage-problem.ts'

/** A UNIQUE index refused a row. The early check in the service gives the good message; this is the truth behind it. */
export class UniqueViolation extends Error {
  /** `table.column` names of the index, for example `['projects.namespace_id', 'projects.path']`. */
  readonly columns: readonly string[]
  constructor(columns: readonly string[], cause: unknown) {
    super(`A row with the same ${columns.join(', ')} exists already.`, { cause })
    this.name = 'UniqueViolation'
    this.columns = columns
  }
}

/**
 * The one place that reads SQLite's constraint errors: UNIQUE becomes `UniqueViolation` (for callers that word it),
 * what the disk refuses becomes `no_storage`, a lock of another program `unavailable`; the rest is a programming error and stays as it is.
 */
export function translateConstraint(error: unknown): unknown {
  if (!(error instanceof BetterSqlite3.SqliteError)) return error
  if (error.code === 'SQLITE_CONSTRAINT_UNIQUE' || error.code === 'SQLITE_CONSTRAINT_PRIMARYKEY') {
    const columns = error.message.replace(/^[^:]*:\s*/, '').split(/,\s*/)
    return new UniqueViolation(columns, error)
  }
  if (error.code.startsWith('SQLITE_BUSY')) {
    return fail('unavailable', 'The database is in use by another program; nothing was changed.')
  }
  return storageProblem(error) ?? error
}
