import { sql, type Selectable } from 'kysely'

import { jsonList, q, type Database } from '../../../db/database.ts'
import { boundedCount, likePattern, selectAll } from '../../../db/lists.ts'
import type { TopicsTable } from '../../../db/schema.gen.ts'

/** A topic as stored. */
export type TopicRow = Selectable<TopicsTable>

/** Returns one page of topics, those with the most projects first. */
export function topicsPage(
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

export function topicById(db: Database, id: number): TopicRow | undefined {
  return db.one<TopicRow>('SELECT * FROM topics WHERE id = ?', id)
}

/** Finds a topic by name, case-insensitively. */
export function topicByName(db: Database, name: string): TopicRow | undefined {
  return db.one<TopicRow>('SELECT * FROM topics WHERE name = ?', name)
}

export function insertTopic(
  db: Database,
  row: Pick<TopicRow, 'name' | 'title' | 'description' | 'created_at' | 'updated_at'>,
): TopicRow {
  return db.get(q.insertInto('topics').values(row).returningAll())!
}

export function updateTopicRow(db: Database, id: number, changes: Partial<Omit<TopicRow, 'id'>>): TopicRow {
  return db.get(q.updateTable('topics').set(changes).where('id', '=', id).returningAll())!
}

export function removeTopic(db: Database, id: number): void {
  db.exec('DELETE FROM topics WHERE id = ?', id)
}

/** Returns the ids of the projects with a topic. */
export function projectsOfTopic(db: Database, id: number): number[] {
  const sql = 'SELECT project_id FROM project_topics WHERE topic_id = ?'
  return db.many<{ project_id: number }>(sql, id).map((row) => row.project_id)
}

/** Adds another topic to the projects of one topic. */
export function addToProjectsOf(db: Database, from: number, to: number): void {
  db.exec(
    `INSERT INTO project_topics (project_id, topic_id) SELECT project_id, ? FROM project_topics WHERE topic_id = ?
     ON CONFLICT DO NOTHING`,
    to,
    from,
  )
}

/**
 * Sets the topics of a project: the rows for searching, and the list in its column. New names become topics of the
 * instance; existing topics keep their spelling. Only this function writes both. It runs in the caller's transaction.
 */
export function setTopics(db: Database, projectId: number, names: readonly string[], now: string): void {
  const list = jsonList(names)
  db.exec(
    `INSERT INTO topics (name, title, created_at, updated_at) SELECT value, value, ?, ? FROM json_each(?) WHERE true
     ON CONFLICT (name) DO NOTHING`,
    now,
    now,
    list,
  )
  db.exec(
    `DELETE FROM project_topics WHERE project_id = ? AND topic_id NOT IN (
       SELECT t.id FROM json_each(?) word JOIN topics t ON t.name = word.value)`,
    projectId,
    list,
  )
  db.exec(
    `INSERT INTO project_topics (project_id, topic_id) SELECT ?, t.id FROM json_each(?) word JOIN topics t ON t.name = word.value
     WHERE true ON CONFLICT DO NOTHING`,
    projectId,
    list,
  )
  refreshTopicLists(db, [projectId])
}

/** Rewrites the column `topics` of some projects from their rows. */
export function refreshTopicLists(db: Database, projectIds: readonly number[]): void {
  db.exec(
    `UPDATE projects SET topics = (SELECT json_group_array(name) FROM (
       SELECT t.name FROM project_topics own JOIN topics t ON t.id = own.topic_id
       WHERE own.project_id = projects.id ORDER BY t.name COLLATE BINARY))
     WHERE id IN (SELECT value FROM json_each(?))`,
    jsonList(projectIds),
  )
}
