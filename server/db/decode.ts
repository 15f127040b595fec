import type BetterSqlite3 from 'better-sqlite3'

import { BOOLEANS } from './booleans.gen.ts'

/** Changes a row of a statement, as SQLite gives it, to what the code works with. */
export type Decode = (row: Record<string, unknown>) => void

/** True for a column of a result that comes from a boolean column. Expressions stay what they are. */
function isBoolean({ table, column }: BetterSqlite3.ColumnDefinition): boolean {
  return BOOLEANS.has(`${table}.${column}`)
}

/**
 * How the rows of a statement become rows of the code: 0 and 1 of boolean columns become false and true. Undefined where
 * nothing changes. SQLite knows the table that each column of a result comes from, also through joins and `RETURNING`.
 */
export function decoderOf(statement: BetterSqlite3.Statement): Decode | undefined {
  if (!statement.reader) return undefined
  const names = statement
    .columns()
    .filter(isBoolean)
    .map(({ name }) => name)
  if (names.length === 0) return undefined
  return (row) => {
    for (const name of names) {
      const value = row[name]
      row[name] = value === null ? null : value === 1
    }
  }
}
