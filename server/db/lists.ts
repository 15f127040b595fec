import { sql, type RawBuilder, type SqlBool } from 'kysely'

import { q, type Database } from './database.ts'

/** Lists are counted up to this number (spec core 8.5). */
const COUNT_LIMIT = 10_001

/** Turns a search text into a pattern for `LIKE … ESCAPE '\'` that matches anywhere; `%` and `_` are literal. */
export function likePattern(search: string): string {
  return `%${search.replace(/[\\%_]/g, '\\$&')}%`
}

/** The condition that a column contains a text, case-insensitive. SQLite has no default escape character. */
export function contains(column: string, search: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`${sql.ref(column)} LIKE ${likePattern(search)} ESCAPE '\\'`
}

/** All rows of a query made of `sql` fragments. */
export function selectAll<Row>(db: Database, query: RawBuilder<Row>): Row[] {
  const compiled = query.compile(q)
  return db.many<Row>(compiled.sql, ...compiled.parameters)
}

/** A query of the query builder, or one made of `sql` fragments. */
interface Query {
  compile(builder: typeof q): { readonly sql: string; readonly parameters: readonly unknown[] }
}

/**
 * The number of rows of a query, up to 10,001, cached until one of its tables changes. Pass a query without order and
 * limit that selects one short column, so that an index can answer it.
 */
export function boundedCount(db: Database, query: Query): number {
  const { sql: text, parameters } = query.compile(q)
  return db.rememberRows(`count:${text}:${JSON.stringify(parameters)}`, () => {
    const countSql = `SELECT count(*) AS count FROM (${text} LIMIT ${COUNT_LIMIT})`
    return db.one<{ count: number }>(countSql, ...parameters)!.count
  })
}
