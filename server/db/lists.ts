import { sql, type RawBuilder, type SqlBool } from 'kysely'

import { q, type Database } from './database.ts'

/** Lists are counted up to here and one more; a longer one is "many" (spec core 8.5). */
const COUNT_LIMIT = 10_001

/** A search text as the pattern of `LIKE … ESCAPE '\'`: found anywhere, its own `%` and `_` are plain characters. */
export function likePattern(search: string): string {
  return `%${search.replace(/[\\%_]/g, '\\$&')}%`
}

/** The condition that a column has a text in it, in any case. SQLite has no escape character unless it is named. */
export function contains(column: string, search: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`${sql.ref(column)} LIKE ${likePattern(search)} ESCAPE '\\'`
}

/** All rows of a query put together from `sql` fragments. */
export function selectAll<Row>(db: Database, query: RawBuilder<Row>): Row[] {
  const compiled = query.compile(q)
  return db.many<Row>(compiled.sql, ...compiled.parameters)
}

/** A built query, or one put together from `sql` fragments. */
interface Query {
  compile(builder: typeof q): { readonly sql: string; readonly parameters: readonly unknown[] }
}

/**
 * Rows that a query has, counted up to 10,001 and remembered until the next write. Give the query without order and
 * limit and with one short column, so that an index can answer it.
 */
export function boundedCount(db: Database, query: Query): number {
  const { sql: text, parameters } = query.compile(q)
  return db.remember(`count:${text}:${JSON.stringify(parameters)}`, () => {
    const counted = `SELECT count(*) AS count FROM (${text} LIMIT ${COUNT_LIMIT})`
    return db.one<{ count: number }>(counted, ...parameters)!.count
  })
}
