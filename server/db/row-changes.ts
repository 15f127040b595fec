import type BetterSqlite3 from 'better-sqlite3'

import type { Tables } from './statement-tables.ts'

/**
 * Tables whose rows change one by one for cached values. A value that was computed from one project stays valid when
 * another project changes, for example its count of issues. Statements must not write these tables with `REPLACE`,
 * because SQLite runs no triggers for the rows that it replaces.
 */
const TABLES: readonly string[] = ['projects']

/** More changed rows of one statement count as a change of every table. */
const MAX_ROWS = 1000

/** The name under which a row is recorded. */
export function rowName(table: string, id: number): string {
  return `${table}:${id}`
}

/** True if the rows of a table count as changed one by one. */
export function hasRowNames(table: string): boolean {
  return TABLES.includes(table)
}

/**
 * Collects the rows that statements change, also by triggers and foreign keys. Temporary triggers of the connection
 * report them, so that other programs can still open the file.
 */
export class RowChanges {
  #names: string[] = []

  constructor(sqlite: BetterSqlite3.Database) {
    sqlite.function('row_changed', (table, id) => {
      if (this.#names.length <= MAX_ROWS) this.#names.push(rowName(String(table), Number(id)))
      return null
    })
    const exists = sqlite.prepare("SELECT 1 FROM main.sqlite_schema WHERE type = 'table' AND name = ?")
    for (const table of TABLES) {
      if (!exists.get(table)) continue
      for (const [event, row] of [
        ['INSERT', 'new'],
        ['UPDATE', 'new'],
        ['DELETE', 'old'],
      ])
        sqlite.exec(
          `CREATE TEMP TRIGGER ${table}_${event}_row AFTER ${event} ON main.${table}
           BEGIN SELECT row_changed('${table}', ${row}.id); END`,
        )
    }
  }

  /** Adds the rows that changed since the last call to the changed tables. A table without changed rows is left out. */
  take(tables: Tables): Tables {
    const names = this.#names
    if (names.length > 0) this.#names = []
    if (tables === 'every' || names.length > MAX_ROWS) return 'every'
    if (!tables.some(hasRowNames)) return tables
    const changed = tables.filter(
      (table) => !hasRowNames(table) || names.some((name) => name.startsWith(`${table}:`)),
    )
    return [...changed, ...names]
  }
}
