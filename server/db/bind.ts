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
 * @param seen names of columns; a partial index can be used or not depending on their value, so their parameters stay visible
 */
export function hideParameters(sql: string, seen: ReadonlySet<string>): string {
  return sql.replace(TOKEN, (token, at: number) => {
    if (!token.startsWith('?')) return token
    const compared = COMPARED.exec(sql.slice(Math.max(0, at - 100), at))
    const isSeen = compared !== null && (compared[1] === undefined || seen.has(compared[1]))
    return isSeen ? token : `+${token}`
  })
}

/** The names of the columns that the conditions of partial indexes compare with a value. */
export function valueColumns(sqlite: BetterSqlite3.Database): Set<string> {
  const indexes = sqlite
    .prepare<[], { sql: string }>(
      "SELECT sql FROM sqlite_master WHERE type = 'index' AND sql LIKE '% WHERE %'",
    )
    .all()
  const conditions = indexes.map(({ sql }) => sql.slice(sql.toUpperCase().lastIndexOf(' WHERE ')))
  const columns = conditions.flatMap((condition) => [...condition.matchAll(/(\w+)\s*(?:=|<>|!=|\bIN\b)/gi)])
  return new Set(columns.map(([, name]) => name!))
}
