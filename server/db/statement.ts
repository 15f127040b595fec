import type BetterSqlite3 from 'better-sqlite3'

import type { Decode } from './decode.ts'
import type { Touched } from './statement-tables.ts'

/** A prepared statement with the tables that it uses. */
export interface Statement extends BetterSqlite3.Statement<unknown[], unknown> {
  decode?: Decode | undefined
  /** True after the first run for which its tables were needed. */
  isRepeated?: boolean
  touched?: Touched
}

/** Options of `Database.transaction`, which describes them. */
export interface TransactionOptions {
  readonly unsynced?: boolean
  readonly unnoticed?: boolean
}
