import type BetterSqlite3 from 'better-sqlite3'

/** Converts booleans, dates and JSON for SQLite, which has none of them. */
export function bind(value: unknown): unknown {
  if (typeof value === 'boolean') return value ? 1 : 0
  if (value === undefined || value === null) return null
  if (typeof value !== 'object' || value instanceof Uint8Array) return value
  return value instanceof Date ? value.toISOString() : JSON.stringify(value)
}

/** A string, a quoted name, a comment or a parameter. */
const TOKEN = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\?\d*/g
/** The end of the text before a parameter that SQLite has to see: a comparison with a column, or a pattern. */
const COMPARED = /(?:"?(\w+)"?\s*(?:=|<>|!=|\bIS|\bIS NOT)|\b(?:LIKE|GLOB))\s*$/i

/**
 * Hides the values of parameters from SQLite's planner, by a unary plus before each. Without it, SQLite plans many
 * statements (with `ORDER BY`, `JOIN` or `LIMIT ?`) anew at each run, because the value might suggest another plan. That
 * takes longer than the statement itself.
 *
 * @param columns whether a partial index can be used depends on the value of these columns, so their parameters stay visible
 */
export function hideParameters(sql: string, columns: readonly ValueColumn[]): string {
  const words = new Set(sql.match(/\w+/g))
  const seen = new Set(columns.filter(({ table }) => words.has(table)).map(({ column }) => column))
  return sql.replace(TOKEN, (token, at: number) => {
    if (!token.startsWith('?')) return token
    const compared = COMPARED.exec(sql.slice(Math.max(0, at - 100), at))
    const isSeen = compared !== null && (compared[1] === undefined || seen.has(compared[1]))
    return isSeen ? token : `+${token}`
  })
}

/** A column that the condition of a partial index compares with a value. */
export interface ValueColumn {
  readonly table: string
  readonly column: string
}

/** The columns that the conditions of partial indexes compare with a value. */
export function valueColumns(sqlite: BetterSqlite3.Database): ValueColumn[] {
  const indexes = sqlite
    .prepare<[], { tbl_name: string; sql: string }>(
      "SELECT tbl_name, sql FROM sqlite_master WHERE type = 'index' AND sql LIKE '% WHERE %'",
    )
    .all()
  return indexes.flatMap(({ tbl_name: table, sql }) => {
    const condition = sql.slice(sql.toUpperCase().lastIndexOf(' WHERE '))
    const compared = condition.matchAll(/(\w+)\s*(?:=|<>|!=|\bIN\b)/gi)
    return Array.from(compared, ([, column = '']) => ({ table, column }))
  })
}
