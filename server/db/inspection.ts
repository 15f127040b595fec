import type BetterSqlite3 from 'better-sqlite3'

import { refuseForeignDatabase } from './identity.ts'
import { openReadOnly } from './other-connections.ts'

/** A read-only connection that checks a database. */
export class Inspection {
  readonly #sqlite: BetterSqlite3.Database

  /** Throws if the file cannot be opened or is not a database. */
  constructor(file: string) {
    this.#sqlite = openReadOnly(file)
    this.#sqlite.prepare('SELECT count(*) FROM sqlite_master').get()
  }

  many<Row>(sql: string, ...parameters: readonly unknown[]): Row[] {
    return this.#sqlite.prepare<unknown[], Row>(sql).all(...parameters)
  }

  /** The faults that SQLite finds in the file, at most 100 lines. */
  damage(): string[] {
    const lines = this.#sqlite.pragma('integrity_check(100)') as { integrity_check: string }[]
    return lines.map(({ integrity_check: line }) => line).filter((line) => line !== 'ok')
  }

  /** Rows with a broken foreign key. */
  danglingRows(): string[] {
    return (this.#sqlite.pragma('foreign_key_check') as { table: string; rowid: number; parent: string }[])
      .slice(0, 100)
      .map(({ table, rowid, parent }) => `row ${rowid} of ${table} refers to a missing row of ${parent}`)
  }

  /** Throws `StartupError` when the repositories belong to another instance. */
  checkRepositoriesBelong(database: string, repositories: string): void {
    refuseForeignDatabase(this.#sqlite, { database, repositories })
  }

  close(): void {
    this.#sqlite.close()
  }
}
