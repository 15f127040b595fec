import type BetterSqlite3 from 'better-sqlite3'

import type { Decode } from './decode.ts'
import type { Touched } from './statement-tables.ts'

/** A prepared statement with the tables that it uses. */
export interface Statement extends BetterSqlite3.Statement<unknown[], unknown> {
  decode?: Decode | undefined
  /** True once its tables were asked for. */
  isRepeated?: boolean
  touched?: Touched
}

/** How a transaction is stored, see `Database.transaction`. */
export interface TransactionOptions {
  readonly unsynced?: boolean
  readonly unnoticed?: boolean
}
