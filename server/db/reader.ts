import type BetterSqlite3 from 'better-sqlite3'

import { bind } from './bind.ts'
import { decoderOf, type Decode } from './decode.ts'
import { openReadOnly } from './other-connections.ts'

/** The maximum number of cached prepared statements. */
const MAX_STATEMENTS = 300

interface CachedStatement {
  readonly statement: BetterSqlite3.Statement<unknown[], unknown>
  readonly decode: Decode | undefined
}

/**
 * A read-only connection for threads that read much of the database (exports, imports). After `pin` it sees the
 * database at that moment, without later writes. Everything is synchronous; large results are iterated to save memory.
 */
export class Reader {
  readonly #sqlite: BetterSqlite3.Database
  readonly #statements = new Map<string, CachedStatement>()

  /** Throws when the file cannot be opened. */
  constructor(file: string) {
    this.#sqlite = openReadOnly(file)
  }

  /** From now on, until the reader is closed, reads see the content of this moment. */
  pin(): void {
    this.#sqlite.exec('BEGIN')
    this.#sqlite.prepare('SELECT count(*) FROM sqlite_master').get()
  }

  /** The first row. Parameters are positional. */
  one<T>(sql: string, ...parameters: readonly unknown[]): T | undefined {
    const { statement, decode } = this.#prepare(sql)
    const row = statement.get(...parameters.map(bind)) as T | undefined
    if (row !== undefined) decode?.(row as Record<string, unknown>)
    return row
  }

  /** All rows, for small results. */
  many<T>(sql: string, ...parameters: readonly unknown[]): T[] {
    const { statement, decode } = this.#prepare(sql)
    const rows = statement.all(...parameters.map(bind)) as T[]
    if (decode) for (const row of rows) decode(row as Record<string, unknown>)
    return rows
  }

  /**
   * Yields rows one by one. A statement that is being iterated is busy, so each call prepares its own; other queries
   * may run in the meantime.
   */
  *each<T>(sql: string, ...parameters: readonly unknown[]): Generator<T, void, undefined> {
    const statement = this.#sqlite.prepare<unknown[], T>(sql)
    const decode = decoderOf(statement)
    for (const row of statement.iterate(...parameters.map(bind))) {
      decode?.(row as Record<string, unknown>)
      yield row
    }
  }

  /** Names of the columns of a table, in their order; empty if there is no such table. */
  columns(table: string): string[] {
    return this.many<{ name: string }>('SELECT name FROM pragma_table_info(?)', table).map(({ name }) => name)
  }

  close(): void {
    this.#sqlite.close()
  }

  #prepare(sql: string): CachedStatement {
    const cached = this.#statements.get(sql)
    if (cached) return cached
    if (this.#statements.size >= MAX_STATEMENTS) this.#statements.clear()
    const statement = this.#sqlite.prepare<unknown[], unknown>(sql)
    const prepared = { statement, decode: decoderOf(statement) }
    this.#statements.set(sql, prepared)
    return prepared
  }
}
