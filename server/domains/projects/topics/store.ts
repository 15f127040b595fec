import { sql, type Selectable } from 'kysely'

import { q, type Database } from '../../../db/database.ts'
import { boundedCount, likePattern, selectAll } from '../../../db/lists.ts'
import type { TopicsTable } from '../../../db/schema.gen.ts'

/** A topic as stored. */
export type TopicRow = Selectable<TopicsTable>

/** One page of topics, those of the most projects first. */
export function list(
  db: Database,
  filter: { search?: string | undefined; without_projects?: boolean | undefined },
  window: { limit: number; offset: number },
): { rows: TopicRow[]; total: number } {
  const like = likePattern(filter.search ?? '')
  const from = sql`FROM topics t WHERE ${
    filter.search ? sql`(t.name LIKE ${like} ESCAPE '\\' OR t.title LIKE ${like} ESCAPE '\\')` : sql`1`
  } AND ${filter.without_projects ? sql`t.total_projects_count = 0` : sql`1`}`
  const page = sql<TopicRow>`SELECT t.* ${from} ORDER BY t.total_projects_count DESC, t.id
    LIMIT ${window.limit} OFFSET ${window.offset}`
  return { rows: selectAll(db, page), total: boundedCount(db, sql`SELECT 1 ${from}`) }
}

export function byId(db: Database, id: number): TopicRow | undefined {
  return db.one<TopicRow>('SELECT * FROM topics WHERE id = ?', id)
}

/** By name, whatever its case. */
export function byName(db: Database, name: string): TopicRow | undefined {
  return db.one<TopicRow>('SELECT * FROM topics WHERE name = ?', name)
}

export function insert(
  db: Database,
  row: Pick<TopicRow, 'name' | 'title' | 'description' | 'created_at' | 'updated_at'>,
): TopicRow {
  return db.get(q.insertInto('topics').values(row).returningAll())!
}

export function update(db: Database, id: number, changes: Partial<Omit<TopicRow, 'id'>>): TopicRow {
  return db.get(q.updateTable('topics').set(changes).where('id', '=', id).returningAll())!
}

export function remove(db: Database, id: number): void {
  db.exec('DELETE FROM topics WHERE id = ?', id)
}

/** Projects that have a topic. */
export function projectIds(db: Database, id: number): number[] {
  const sql = 'SELECT project_id FROM project_topics WHERE topic_id = ?'
  return db.many<{ project_id: number }>(sql, id).map((row) => row.project_id)
}

/** Gives the projects of one topic another one as well. */
export function addTo(db: Database, from: number, to: number): void {
  db.exec(
    `INSERT INTO project_topics (project_id, topic_id) SELECT project_id, ? FROM project_topics WHERE topic_id = ?
     ON CONFLICT DO NOTHING`,
    to,
    from,
  )
}
