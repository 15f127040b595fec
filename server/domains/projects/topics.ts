import { jsonList, type Database } from '../../db/database.ts'

/**
 * Gives a project its topics: the rows that find it by them, and the list that it shows. New words become topics of the
 * instance; known ones keep their spelling. The only writer of both, inside the caller's transaction.
 */
export function setTopics(db: Database, projectId: number, words: readonly string[], now: string): void {
  const list = jsonList(words)
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
  showTopics(db, [projectId])
}

/** Writes the shown lists of some projects anew, after their topics got other names. */
export function showTopics(db: Database, projectIds: readonly number[]): void {
  db.exec(
    `UPDATE projects SET topics = (SELECT json_group_array(name) FROM (
       SELECT t.name FROM project_topics own JOIN topics t ON t.id = own.topic_id
       WHERE own.project_id = projects.id ORDER BY t.name COLLATE BINARY))
     WHERE id IN (SELECT value FROM json_each(?))`,
    jsonList(projectIds),
  )
}
