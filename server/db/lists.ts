import type { RawBuilder } from 'kysely'

import { q, type Database } from './database.ts'

/** Lists are counted up to here and one more; a longer one is "many" (spec core 8.5). */
const COUNT_LIMIT = 10_001

/** A search text as the pattern of `LIKE … ESCAPE '\'`: found anywhere, its own `%` and `_` are plain characters. */
export function likePattern(search: string): string {
  return `%${search.replace(/[\\%_]/g, '\\$&')}%`
}

/** All rows of a query put together from `sql` fragments. */
export function selectAll<Row>(db: Database, query: RawBuilder<Row>): Row[] {
  const { sql, parameters } = query.compile(q)
  return db.many<Row>(sql, ...parameters)
}

/**
 * Rows that a query has, counted up to 10,001 and remembered until the next write. Give the query without order and
 * limit and with one short column, so that an index can answer it.
 */
export function boundedCount(db: Database, query: RawBuilder<unknown>): number {
  const { sql, parameters } = query.compile(q)
  return db.remember(`count:${sql}:${JSON.stringify(parameters)}`, () => {
    const counted = `SELECT count(*) AS count FROM (${sql} LIMIT ${COUNT_LIMIT})`
    return db.one<{ count: number }>(counted, ...parameters)!.count
  })
}
