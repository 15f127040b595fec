import Database from 'better-sqlite3'
import { join } from 'node:path'

import { startInstance } from './instance.ts'

/**
 * Creates a data folder with `count` projects in 100 groups. The schema and the administrator come from a real start. The
 * rows are inserted directly, because their creation is not measured.
 */
export async function seedProjects(dataDir: string, count: number): Promise<void> {
  await (await startInstance(dataDir)).stop()
  const db = new Database(join(dataDir, 'deskforge.db'))
  db.pragma('foreign_keys = ON')
  const now = (index: number): string => new Date(Date.UTC(2026, 0, 1) + index * 1000).toISOString()
  const groups = Math.min(100, count)
  db.transaction(() => {
    const group = db.prepare(
      "INSERT INTO namespaces (kind, name, path, full_path, full_name, lineage, visibility, created_at, updated_at) VALUES ('group', ?, ?, ?, ?, '[]', 'private', ?, ?)",
    )
    const ids: number[] = []
    for (let index = 0; index < groups; index++) {
      const name = `team-${index}`
      const id = Number(group.run(name, name, name, name, now(index), now(index)).lastInsertRowid)
      db.prepare('UPDATE namespaces SET lineage = ? WHERE id = ?').run(`[${id}]`, id)
      ids.push(id)
    }
    const project = db.prepare(
      `INSERT INTO projects (namespace_id, creator_id, name, path, description, visibility, disk_path, repository_state, default_branch, runners_token, created_at, updated_at, last_activity_at)
       VALUES (?, 1, ?, ?, ?, ?, ?, 'ready', 'main', ?, ?, ?, ?)`,
    )
    for (let index = 0; index < count; index++) {
      const visibility = ['private', 'internal', 'public'][index % 3]
      const at = now(index)
      const about = `What project ${index} is for, in one sentence.`
      project.run(
        ids[index % groups],
        `Project ${index}`,
        `project-${index}`,
        about,
        visibility,
        `@hashed/${index}.git`,
        `token-${index}`,
        at,
        at,
        at,
      )
    }
  })()
  db.pragma('optimize')
  db.close()
}
