import type { Database } from '../../../db/database.ts'

export function sqliteVersion(db: Database): string {
  return db.one<{ version: string }>('SELECT sqlite_version() AS version')!.version
}

/** Reads one row. Throws the error of SQLite if the database is damaged. */
export function probe(db: Database): void {
  db.one('SELECT 1 FROM application_settings WHERE id = 1')
}

/** Returns the full paths of projects with a failed repository check. */
export function damagedProjects(db: Database, limit: number): string[] {
  return db
    .many<{ path: string }>(
      `SELECT n.full_path || '/' || p.path AS path FROM projects p JOIN namespaces n ON n.id = p.namespace_id
       WHERE p.last_repository_check_failed = 1 ORDER BY p.id LIMIT ?`,
      limit,
    )
    .map(({ path }) => path)
}

/** Returns the total size of all projects in bytes, by kind of data. */
export function sizes(db: Database) {
  return db.one<Record<'repositories' | 'wikis' | 'artifacts' | 'uploads' | 'snippets', number>>(
    `SELECT coalesce(sum(repository_size), 0) AS repositories, coalesce(sum(wiki_size), 0) AS wikis,
       coalesce(sum(job_artifacts_size + pipeline_artifacts_size), 0) AS artifacts,
       coalesce(sum(uploads_size), 0) AS uploads, coalesce(sum(snippets_size), 0) AS snippets FROM projects`,
  )!
}

/** The queries of all counts, in the contract's order (spec administration 13). */
export const COUNT_QUERIES = {
  forks: 'SELECT count(*) AS n FROM projects WHERE forked_from_project_id IS NOT NULL',
  issues: 'SELECT count(*) AS n FROM issues',
  merge_requests: 'SELECT count(*) AS n FROM merge_requests',
  notes: 'SELECT count(*) AS n FROM notes',
  snippets: 'SELECT count(*) AS n FROM snippets',
  ssh_keys: 'SELECT count(*) AS n FROM ssh_keys',
  milestones: 'SELECT count(*) AS n FROM milestones',
  users: 'SELECT count(*) AS n FROM users',
  groups: "SELECT count(*) AS n FROM namespaces WHERE kind = 'group'",
  projects: 'SELECT count(*) AS n FROM projects',
  active_users: "SELECT count(*) AS n FROM users WHERE state = 'active' AND kind = 'human'",
} as const

export type Counts = Readonly<Record<keyof typeof COUNT_QUERIES, number>>

/** Returns all counts, cached until one of their tables changes. */
export function counts(db: Database): Counts {
  return db.rememberRows('administration:counts', () => {
    const entries = Object.entries(COUNT_QUERIES).map(([name, text]) => [
      name,
      db.one<{ n: number }>(text)!.n,
    ])
    return Object.fromEntries(entries) as Counts
  })
}
