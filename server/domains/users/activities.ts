import { sql } from 'kysely'

import type { Database } from '../../db/database.ts'
import { boundedCount, selectAll } from '../../db/lists.ts'

/** A user and the last day on which they did something. */
export interface ActivityRow {
  username: string
  last_activity_on: string
}

/** One page of the users who did something on a day or later, the longest quiet ones first. */
export function listActivities(db: Database, from: string, page: { limit: number; offset: number }) {
  const source = sql`FROM users WHERE last_activity_on >= ${from} AND kind = 'human'`
  const rows = selectAll(
    db,
    sql<ActivityRow>`SELECT username, last_activity_on ${source}
      ORDER BY last_activity_on, id LIMIT ${page.limit} OFFSET ${page.offset}`,
  )
  return { rows, total: boundedCount(db, sql`SELECT id ${source}`) }
}
