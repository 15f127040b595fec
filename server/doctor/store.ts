import type { Inspection } from '../db/inspection.ts'

/** A repository that a row refers to. `owner` begins a sentence: `The project 3 (group/name)`. */
export interface RepositoryRow {
  readonly owner: string
  readonly storage: string
  readonly disk_path: string
  readonly state: string
}

/** Every repository with a row: projects, wikis and snippets. */
export function repositoryRows(db: Inspection): RepositoryRow[] {
  return db.many<RepositoryRow>(
    `SELECT 'The project ' || p.id || ' (' || n.full_path || '/' || p.path || ')' AS owner,
            p.repository_storage AS storage, p.disk_path, p.repository_state AS state
       FROM projects p JOIN namespaces n ON n.id = p.namespace_id
     UNION ALL
     SELECT 'The wiki ' || w.id, coalesce(p.repository_storage, w.repository_storage), w.disk_path, w.repository_state
       FROM wikis w LEFT JOIN projects p ON p.id = w.project_id
     UNION ALL
     SELECT 'The snippet ' || id, repository_storage, disk_path, repository_state FROM snippets`,
  )
}

/** Storages that an administrator added. */
export function storageRows(db: Inspection) {
  return db.many<{ name: string; folder: string }>('SELECT name, folder FROM repository_storages')
}

/** The files that the rows of a table refer to. Each belongs to a project. */
export function storedFiles(db: Inspection, table: 'ci_artifacts' | 'secure_files') {
  return db.many<{ project_id: number; stored_as: string; size: number }>(
    `SELECT project_id, stored_as, size FROM ${table}`,
  )
}

/** Objects of git LFS. */
export function lfsObjects(db: Inspection) {
  return db.many<{ oid: string; size: number }>('SELECT oid, size FROM lfs_objects')
}

/** Uploads of projects. */
export function projectUploads(db: Inspection) {
  return db.many<{ project_id: number; secret: string; file_name: string; size: number }>(
    'SELECT project_id, secret, file_name, size FROM uploads WHERE project_id IS NOT NULL',
  )
}

/** Avatars of projects, groups, topics and users. */
export function avatars(db: Inspection) {
  return db.many<{ kind: string; id: number; avatar: string }>(
    `SELECT 'project' AS kind, id, avatar FROM projects WHERE avatar IS NOT NULL
     UNION ALL SELECT 'group', id, avatar FROM namespaces WHERE avatar IS NOT NULL AND kind = 'group'
     UNION ALL SELECT 'topic', id, avatar FROM topics WHERE avatar IS NOT NULL
     UNION ALL SELECT 'user', id, avatar FROM users WHERE avatar IS NOT NULL`,
  )
}

/** The values of a column, without NULL. */
export function texts(db: Inspection, table: string, column: string): string[] {
  return db
    .many<{ text: string }>(`SELECT ${column} AS text FROM ${table} WHERE ${column} IS NOT NULL`)
    .map(({ text }) => text)
}

/** Jobs that failed after their last attempt, by name, with one of their errors. */
export function failedJobs(db: Inspection) {
  return db.many<{ name: string; n: number; error: string | null }>(
    "SELECT name, count(*) AS n, max(error) AS error FROM jobs WHERE state = 'failed' GROUP BY name ORDER BY name",
  )
}

/** The number of repositories that are not ready, by kind. */
export function unreadyRepositories(db: Inspection) {
  return db.many<{ what: string; n: number }>(
    `SELECT 'projects' AS what, count(*) AS n FROM projects WHERE repository_state <> 'ready'
     UNION ALL SELECT 'snippets', count(*) FROM snippets WHERE repository_state <> 'ready'
     UNION ALL SELECT 'wikis', count(*) FROM wikis WHERE repository_state <> 'ready'`,
  )
}
