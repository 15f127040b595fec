import BetterSqlite3 from 'better-sqlite3'

import { fail } from '../lib/fail.ts'

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
 * a full disk or a read-only folder becomes `unavailable`; the rest is a programming error and stays as it is.
 */
export function translateConstraint(error: unknown): unknown {
  if (!(error instanceof BetterSqlite3.SqliteError)) return error
  if (error.code === 'SQLITE_CONSTRAINT_UNIQUE' || error.code === 'SQLITE_CONSTRAINT_PRIMARYKEY') {
    const columns = error.message.replace(/^[^:]*:\s*/, '').split(/,\s*/)
    return new UniqueViolation(columns, error)
  }
  if (error.code === 'SQLITE_FULL') return fail('unavailable', 'The disk is full; nothing was changed.')
  if (error.code.startsWith('SQLITE_READONLY')) {
    return fail('unavailable', 'The data folder cannot be written; nothing was changed.')
  }
  if (error.code.startsWith('SQLITE_BUSY')) {
    return fail('unavailable', 'The database is in use by another program; nothing was changed.')
  }
  if (error.code === 'SQLITE_IOERR' || error.code.startsWith('SQLITE_IOERR_')) {
    return fail('unavailable', 'The database file could not be read or written; nothing was changed.')
  }
  return error
}
