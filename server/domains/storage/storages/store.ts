import type { Database } from '../../../db/database.ts'

/** A storage that an administrator added. */
export interface StorageRow {
  readonly name: string
  readonly folder: string
  readonly created_at: string
}

export function all(db: Database): StorageRow[] {
  return db.many<StorageRow>('SELECT * FROM repository_storages ORDER BY name')
}

export function insert(db: Database, { name, folder, created_at }: StorageRow): void {
  const sql = 'INSERT INTO repository_storages (name, folder, created_at) VALUES (?, ?, ?)'
  db.exec(sql, name, folder, created_at)
}

export function remove(db: Database, name: string): void {
  db.exec('DELETE FROM repository_storages WHERE name = ?', name)
}

/** The number and total size of the repositories of a kind in a storage. */
export interface RepositoryCount {
  readonly storage: string
  readonly kind: 'project' | 'snippet' | 'group'
  readonly count: number
  readonly bytes: number
}

/** Counts the repositories in each storage. The size of a project's wiki is added to the size of its project. */
export function repositoryCounts(db: Database): RepositoryCount[] {
  return db.many<RepositoryCount>(
    `SELECT repository_storage AS storage, 'project' AS kind, count(*) AS count,
       sum(repository_size + wiki_size) AS bytes FROM projects GROUP BY repository_storage
     UNION ALL SELECT repository_storage, 'snippet', count(*), sum(repository_size) FROM snippets
       GROUP BY repository_storage
     UNION ALL SELECT repository_storage, 'group', count(*), sum(repository_size) FROM wikis
       WHERE group_id IS NOT NULL GROUP BY repository_storage`,
  )
}

/** Whether a repository is in the storage, or is being moved into it or out of it. */
export function isUsed(db: Database, name: string): boolean {
  const sql = `SELECT
    EXISTS (SELECT 1 FROM projects WHERE repository_storage = candidate.name)
    OR EXISTS (SELECT 1 FROM snippets WHERE repository_storage = candidate.name)
    OR EXISTS (SELECT 1 FROM wikis WHERE repository_storage = candidate.name AND group_id IS NOT NULL)
    OR EXISTS (SELECT 1 FROM repository_storage_moves WHERE state IN ('initial', 'scheduled', 'started', 'replicated')
      AND (source_storage_name = candidate.name OR destination_storage_name = candidate.name)) AS used
    FROM (SELECT ? AS name) AS candidate`
  return db.one<{ used: number }>(sql, name)!.used === 1
}
