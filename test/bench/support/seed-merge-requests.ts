import Database from 'better-sqlite3'
import { join } from 'node:path'

import { seedProjects } from './seed.ts'

/** The attributes that differ between the seeded merge requests. */
export const AUTHORS = 50
export const LABELS = 40
const WORDS = [
  'sluice',
  'tide',
  'harbour',
  'gauge',
  'lantern',
  'mooring',
  'current',
  'estuary',
  'beacon',
  'draught',
]

/** A word in a tenth of the titles. */
export const wordOf = (index: number): string => WORDS[index % WORDS.length]!

/**
 * Creates a data folder with `count` merge requests in 100 projects, by fifty authors, with two labels each. A third is open.
 * The rows are inserted directly, because their creation is not measured.
 */
export async function seedMergeRequests(dataDir: string, count: number): Promise<void> {
  await seedProjects(dataDir, 100)
  const db = new Database(join(dataDir, 'deskforge.db'))
  db.pragma('foreign_keys = ON')
  const at = (index: number): string => new Date(Date.UTC(2026, 0, 1) + index * 1000).toISOString()
  db.transaction(() => {
    const projects = db
      .prepare<[], { id: number; namespace_id: number }>('SELECT id, namespace_id FROM projects')
      .all()
    const authors = seedAuthors(db, at(0))
    const label = db.prepare(
      "INSERT INTO labels (group_id, title, color, created_at, updated_at) VALUES (?, ?, '#6699cc', ?, ?)",
    )
    const groups = [...new Set(projects.map((project) => project.namespace_id))]
    const labels = new Map(
      groups.map((group) => [
        group,
        Array.from({ length: LABELS }, (_, index) =>
          Number(label.run(group, `label-${index}`, at(0), at(0)).lastInsertRowid),
        ),
      ]),
    )
    const request = db.prepare(
      `INSERT INTO merge_requests (iid, project_id, source_project_id, source_branch, target_branch, author_id, title,
         description, state, merge_status, created_at, updated_at)
       VALUES (?, ?, ?, ?, 'main', ?, ?, ?, ?, 'can_be_merged', ?, ?)`,
    )
    const labelled = db.prepare('INSERT INTO merge_request_labels (merge_request_id, label_id) VALUES (?, ?)')
    for (let index = 0; index < count; index++) {
      const project = projects[index % projects.length]!
      const state = ['opened', 'merged', 'closed'][index % 3]!
      const title = `Mend the ${wordOf(index * 7 + Math.floor(index / 10))} of number ${index}`
      const about = `What was wrong with number ${index}, and how it was found.\n\n- [ ] look again`
      const { lastInsertRowid } = request.run(
        Math.floor(index / projects.length) + 1,
        project.id,
        project.id,
        `fix-${index}`,
        authors[(index * 13 + Math.floor(index / 7)) % AUTHORS],
        title,
        about,
        state,
        at(index),
        at(index),
      )
      const own = labels.get(project.namespace_id)!
      const first = (index * 11 + Math.floor(index / 3)) % LABELS
      labelled.run(lastInsertRowid, own[first])
      labelled.run(lastInsertRowid, own[(first + 1 + (index % 7)) % LABELS])
    }
  })()
  db.exec('ANALYZE')
  db.close()
}

function seedAuthors(db: Database.Database, now: string): number[] {
  const insert = db.prepare(
    'INSERT INTO users (username, name, email, created_at, updated_at) VALUES (?, ?, ?, ?, ?)',
  )
  return Array.from({ length: AUTHORS }, (_, index) => {
    const name = `author-${index}`
    return Number(insert.run(name, name, `${name}@example.test`, now, now).lastInsertRowid)
  })
}
