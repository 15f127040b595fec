import { sql, type RawBuilder, type SqlBool } from 'kysely'

import type { Database } from '../../db/database.ts'
import { boundedCount, likePattern, selectAll } from '../../db/lists.ts'
import type { StarRow } from './views.ts'

/** Gives or takes a star; false when it was so already. The project's count follows by itself. */
export function set(
  db: Database,
  star: { project_id: number; user_id: number; starred: boolean; now: string },
): boolean {
  if (!star.starred) {
    return (
      db.exec('DELETE FROM project_stars WHERE user_id = ? AND project_id = ?', star.user_id, star.project_id)
        .changes > 0
    )
  }
  const sql =
    'INSERT INTO project_stars (user_id, project_id, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING'
  return db.exec(sql, star.user_id, star.project_id, star.now).changes > 0
}

/** One page of those who starred a project, the latest first. */
export function list(
  db: Database,
  filter: { project_id: number; search?: string | undefined },
  window: { limit: number; offset: number },
): { rows: StarRow[]; total: number } {
  const parts: RawBuilder<SqlBool>[] = [
    sql<SqlBool>`s.project_id = ${filter.project_id}`,
    sql<SqlBool>`u.state = 'active'`,
  ]
  if (filter.search) {
    const like = likePattern(filter.search)
    parts.push(sql<SqlBool>`(u.name LIKE ${like} ESCAPE '\\' OR u.username LIKE ${like} ESCAPE '\\')`)
  }
  const from = sql`FROM project_stars s JOIN users u ON u.id = s.user_id WHERE ${sql.join(parts, sql` AND `)}`
  const query = sql<StarRow>`SELECT u.id, u.username, u.name, u.state, u.avatar, s.created_at AS starred_since ${from}
    ORDER BY s.created_at DESC, u.id DESC LIMIT ${window.limit} OFFSET ${window.offset}`
  return { rows: selectAll(db, query), total: boundedCount(db, sql`SELECT 1 ${from}`) }
}
