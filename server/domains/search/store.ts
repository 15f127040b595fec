import { sql, type RawBuilder, type SqlBool } from 'kysely'

import { jsonList, type Database } from '../../db/database.ts'
import { boundedCount, selectAll } from '../../db/lists.ts'
import type { UserBasicRow } from '../users/index.ts'

type Condition = RawBuilder<SqlBool>

/** Where users are searched: everywhere, or among the members of these namespaces and of one project. */
export interface UserScope {
  readonly namespace_ids?: readonly number[]
  readonly project_id?: number
}

/** A window of a list. */
export interface Window {
  readonly limit: number
  readonly offset: number
}

/** Trigrams need three characters; a shorter text is compared with every name. */
function named(search: string): Condition {
  if ([...search].length >= 3) {
    const phrase = `"${search.replaceAll('"', '""')}"`
    return sql<SqlBool>`u.id IN (SELECT rowid FROM users_fts WHERE users_fts MATCH ${phrase})`
  }
  const part = sql`lower(${search})`
  return sql<SqlBool>`(instr(lower(u.username), ${part}) > 0 OR instr(lower(u.name), ${part}) > 0)`
}

function memberOf({ namespace_ids, project_id }: UserScope): Condition[] {
  if (namespace_ids === undefined && project_id === undefined) return []
  const ids = jsonList(namespace_ids ?? [])
  return [
    sql<SqlBool>`u.id IN (
      SELECT m.user_id FROM members m WHERE m.namespace_id IN (SELECT value FROM json_each(${ids}))
      UNION SELECT m.user_id FROM members m WHERE m.project_id = ${project_id ?? null})`,
  ]
}

/** Active people whose name, user name or public address is found; an exact user name first. */
export function users(db: Database, search: string, scope: UserScope, window: Window) {
  const isFound = sql<SqlBool>`(${named(search)} OR (u.public_email <> '' AND u.public_email = ${search} COLLATE NOCASE))`
  const parts = [isFound, sql<SqlBool>`u.state = 'active' AND u.kind = 'human'`, ...memberOf(scope)]
  const from = sql`FROM users u WHERE ${sql.join(parts, sql` AND `)}`
  const query = sql<UserBasicRow>`SELECT u.id, u.username, u.name, u.state, u.avatar ${from}
    ORDER BY (u.username = ${search}) DESC, u.name COLLATE NOCASE, u.id LIMIT ${window.limit} OFFSET ${window.offset}`
  return { rows: selectAll(db, query), total: boundedCount(db, sql`SELECT u.id ${from}`) }
}
