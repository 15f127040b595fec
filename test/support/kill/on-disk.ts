import Database from 'better-sqlite3'
import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { promisify } from 'node:util'

import { unfinishedFoldersOf, leftoversIn } from '../../../server/git/upkeep/leftovers.ts'

const run = promisify(execFile)

/** The database of an instance, read while it may be running. */
export function withDatabase<T>(dataDir: string, work: (db: Database.Database) => T): T {
  const db = new Database(join(dataDir, 'deskforge.db'), { readonly: true })
  try {
    return work(db)
  } finally {
    db.close()
  }
}

/** Jobs that will never run again. */
export function deadJobs(dataDir: string): unknown[] {
  return withDatabase(dataDir, (db) =>
    db.prepare("SELECT name, args, error FROM jobs WHERE state = 'failed'").all(),
  )
}

/** The number of jobs that are due or run. */
export function jobsUnderWay(db: Database.Database): number {
  const sql = `SELECT count(*) AS n FROM jobs WHERE state = 'running'
    OR (state = 'ready' AND run_at <= strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))`
  return db.prepare<[], { n: number }>(sql).get()!.n
}

/** The faults that SQLite finds. */
export function databaseProblems(dataDir: string): unknown[] {
  return withDatabase(dataDir, (db) => {
    const integrity = db.pragma('integrity_check', { simple: true })
    return [...(integrity === 'ok' ? [] : [integrity]), ...(db.pragma('foreign_key_check') as unknown[])]
  })
}

/** The folder of the repositories of the second storage. */
export function otherStorage(dataDir: string): string {
  return `${dataDir}-other`
}

function storagesOf(dataDir: string): ReadonlyMap<string, string> {
  return new Map([
    ['default', join(dataDir, 'repositories')],
    ['other', otherStorage(dataDir)],
  ])
}

/** Folders of repositories of all storages. Includes unfinished ones and those being removed. */
export function repositoriesIn(dataDir: string): string[] {
  const found: string[] = []
  const walk = (folder: string): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name)
      if (entry.name.includes('.git')) found.push(path)
      else if (entry.isDirectory()) walk(path)
    }
  }
  for (const root of storagesOf(dataDir).values()) walk(root)
  return found
}

/** Folders that no row refers to. */
export function orphanFolders(dataDir: string): string[] {
  const storages = storagesOf(dataDir)
  const known = withDatabase(dataDir, (db) => {
    const sql = `SELECT repository_storage, disk_path FROM projects
      UNION SELECT coalesce(p.repository_storage, w.repository_storage), w.disk_path
        FROM wikis w LEFT JOIN projects p ON p.id = w.project_id
      UNION SELECT repository_storage, disk_path FROM snippets`
    return new Set(
      db
        .prepare<[], { repository_storage: string; disk_path: string }>(sql)
        .all()
        .map((row) => join(storages.get(row.repository_storage)!, row.disk_path)),
    )
  })
  return repositoriesIn(dataDir).filter((path) => !known.has(path))
}

/** Projects with a HEAD that differs from their default branch. */
export function wrongHeads(dataDir: string): string[] {
  const storages = storagesOf(dataDir)
  const sql = `SELECT id, repository_storage, disk_path, default_branch FROM projects WHERE repository_state = 'ready'`
  type Row = { id: number; repository_storage: string; disk_path: string; default_branch: string }
  const rows = withDatabase(dataDir, (db) => db.prepare<[], Row>(sql).all())
  return rows.flatMap((row) => {
    const head = readFileSync(join(storages.get(row.repository_storage)!, row.disk_path, 'HEAD'), 'utf8')
    return head === `ref: refs/heads/${row.default_branch}\n` ? [] : [`project ${row.id}: ${head}`]
  })
}

/** The faults that git finds in repositories that changed since the given time, and leftover files in them. */
export async function repositoryProblems(
  dataDir: string,
  since: number,
  { alive }: { alive: boolean },
): Promise<string[]> {
  const problems: string[] = []
  // An unfinished copy or creation is not a repository yet; the start must have removed it.
  const whole = repositoriesIn(dataDir).filter((path) => path.endsWith('.git'))
  for (const gitDir of whole.filter((repository) => isChanged(repository, since))) {
    try {
      await run('git', ['--git-dir', gitDir, 'fsck', '--no-progress', '--no-dangling'])
    } catch (error) {
      problems.push(`${gitDir}: ${String((error as { stderr?: string }).stderr)}`)
    }
    if (alive) problems.push(...(await leftoversIn(gitDir)), ...(await unfinishedFoldersOf(gitDir)))
  }
  return problems
}

function isChanged(gitDir: string, since: number): boolean {
  return ['', 'refs/heads', 'objects', 'objects/pack'].some((name) => {
    const path = join(gitDir, name)
    return existsSync(path) && existsSync(join(gitDir, 'HEAD')) && statSync(path).mtimeMs >= since
  })
}

/**
 * Files of the data folder that no row refers to. Files of repositories are checked separately. LFS objects and
 * artifacts without a row are collected every night when they are a day old, so they do not count.
 */
export function orphanFiles(dataDir: string): string[] {
  return withDatabase(dataDir, (db) => {
    const known = new Set<string>()
    const add = (sql: string, pathOf: (row: Record<string, string | number>) => string): void => {
      for (const row of db.prepare<[], Record<string, string | number>>(sql).all()) known.add(pathOf(row))
    }
    add(
      'SELECT project_id, secret, file_name FROM uploads WHERE project_id IS NOT NULL',
      (row) => `uploads/project/${row['project_id']}/${row['secret']}/${row['file_name']}`,
    )
    add(
      'SELECT id, avatar FROM projects WHERE avatar IS NOT NULL',
      (row) => `uploads/-/system/project/avatar/${row['id']}/${row['avatar']}`,
    )
    return ['uploads', 'imports', 'tmp'].flatMap((name) => {
      const folder = join(dataDir, name)
      if (!existsSync(folder)) return []
      return readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => relative(dataDir, join(entry.parentPath, entry.name)).replaceAll(sep, '/'))
        .filter((file) => !known.has(file))
    })
  })
}
