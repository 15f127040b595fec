import type BetterSqlite3 from 'better-sqlite3'

import { BOOLEANS } from './booleans.gen.ts'
import { JSON_COLUMNS } from './json-columns.ts'

/** Converts the values of a row from SQLite in place. */
export type Decode = (row: Record<string, unknown>) => void

/** The names of the result columns with a matching origin. Expressions have no origin. */
function columnNames(
  columns: readonly BetterSqlite3.ColumnDefinition[],
  matches: (origin: string) => boolean,
): readonly string[] {
  return columns.filter(({ table, column }) => matches(`${table}.${column}`)).map(({ name }) => name)
}

/**
 * Returns the conversion of a statement's rows: 0 and 1 of boolean columns become false and true, and JSON columns are
 * parsed. Undefined if nothing changes. SQLite reports the origin of each result column, also through joins and
 * `RETURNING`.
 */
export function decoderOf(statement: BetterSqlite3.Statement): Decode | undefined {
  if (!statement.reader) return undefined
  const columns = statement.columns()
  const booleans = columnNames(columns, (origin) => BOOLEANS.has(origin))
  const parsed = columnNames(columns, (origin) => origin in JSON_COLUMNS)
  if (booleans.length + parsed.length === 0) return undefined
  return (row) => {
    for (const name of booleans) {
      const value = row[name]
      row[name] = value === null ? null : value === 1
    }
    for (const name of parsed) {
      const value = row[name]
      if (typeof value === 'string') row[name] = JSON.parse(value)
    }
  }
}
