import BetterSqlite3 from 'better-sqlite3'

import { decoderOf, type Decode } from './decode.ts'

/** Statements that are kept ready. Relations ask the same few questions for every row. */
const KEPT = 300

interface Kept {
  readonly statement: BetterSqlite3.Statement<unknown[], unknown>
  readonly decode: Decode | undefined
}

/**
 * A second connection that only reads, for threads that work through much of the database (exports, imports). Once it is
 * pinned it stays at that moment: what is written afterwards it does not see. Everything is synchronous; what holds many rows
 * is iterated, so that memory does not grow with them.
 */
export class Reader {
  readonly #sqlite: BetterSqlite3.Database
  readonly #statements = new Map<string, Kept>()

  /** Throws when the file cannot be opened. */
  constructor(file: string) {
    this.#sqlite = new BetterSqlite3(file, { readonly: true, fileMustExist: true })
    this.#sqlite.pragma('busy_timeout = 5000')
  }

  /** From now on this moment is what is read, until the reader is closed. */
  pin(): void {
    this.#sqlite.exec('BEGIN')
    this.#sqlite.prepare('SELECT count(*) FROM sqlite_master').get()
  }

  /** The first row. Parameters are positional. */
  one<T>(sql: string, ...parameters: readonly unknown[]): T | undefined {
    const { statement, decode } = this.#prepare(sql)
    const row = statement.get(...parameters) as T | undefined
    if (row !== undefined) decode?.(row as Record<string, unknown>)
    return row
  }

  /** All rows; for few. */
  many<T>(sql: string, ...parameters: readonly unknown[]): T[] {
    const { statement, decode } = this.#prepare(sql)
    const rows = statement.all(...parameters) as T[]
    if (decode) for (const row of rows) decode(row as Record<string, unknown>)
    return rows
  }

  /**
   * Rows one after the other. A statement that is being iterated can do nothing else, so it is prepared anew: other
   * questions, and the same one, may be asked meanwhile. Nothing is asked before the first row is wanted.
   */
  *each<T>(sql: string, ...parameters: readonly unknown[]): Generator<T, void, undefined> {
    const statement = this.#sqlite.prepare<unknown[], T>(sql)
    const decode = decoderOf(statement)
    for (const row of statement.iterate(...parameters)) {
      decode?.(row as Record<string, unknown>)
      yield row
    }
  }

  /** Names of the columns of a table, in their order; empty where there is no such table. */
  columns(table: string): string[] {
    return this.many<{ name: string }>('SELECT name FROM pragma_table_info(?)', table).map(({ name }) => name)
  }

  close(): void {
    this.#sqlite.close()
  }

  #prepare(sql: string): Kept {
    const known = this.#statements.get(sql)
    if (known) return known
    if (this.#statements.size >= KEPT) this.#statements.clear()
    const statement = this.#sqlite.prepare<unknown[], unknown>(sql)
    const kept = { statement, decode: decoderOf(statement) }
    this.#statements.set(sql, kept)
    return kept
  }
}
