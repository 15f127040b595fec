import BetterSqlite3 from 'better-sqlite3'

import { fail } from '../lib/fail.ts'
import { storageProblem } from '../lib/files/storage-problem.ts'

/** A UNIQUE index refused a row. Services check earlier for a better message; this error covers races. */
export class UniqueViolation extends Error {
  /** `table.column` names of the index, for example `['projects.namespace_id', 'projects.path']`. */
  readonly columns: readonly string[]
  constructor(columns: readonly string[], cause: unknown) {
    super(`A row with the same ${columns.join(', ')} already exists.`, { cause })
    this.name = 'UniqueViolation'
    this.columns = columns
  }
}

/**
 * Translates SQLite's errors: UNIQUE becomes `UniqueViolation`, a full or failing disk `no_storage`, a lock of another
 * program `unavailable`. Returns other errors unchanged, because they are programming errors.
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
