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
