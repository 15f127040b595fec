import BetterSqlite3 from 'better-sqlite3'

import { hasTable } from './identity.ts'
import { openReadOnly } from './other-connections.ts'

/** A summary of a database copy. */
export interface CopySummary {
  /** The last migration of its schema. */
  readonly schema: string
  /** Row counts of a few tables, to distinguish backups. */
  readonly counts: Readonly<Record<string, number>>
}

const COUNTED_TABLES = ['users', 'projects', 'namespaces', 'issues', 'merge_requests', 'ci_pipelines']

/**
 * A read-only connection that sees the database as it was at one moment, without later writes. Backups use it, also in
 * a worker thread.
 */
export class PinnedDatabase {
  readonly #sqlite: BetterSqlite3.Database

  /** Throws when the file cannot be opened. */
  constructor(file: string) {
    this.#sqlite = openReadOnly(file)
  }

  /** From now on, reads see the content of the current moment. */
  pin(): void {
    this.#sqlite.exec('BEGIN')
    this.#sqlite.prepare('SELECT count(*) FROM sqlite_master').get()
  }

  summary(): CopySummary {
    return summaryOf(this.#sqlite)
  }

  /** Folders of storages that an administrator added, by name. */
  storages(): Record<string, string> {
    if (!hasTable(this.#sqlite, 'repository_storages')) return {}
    const rows = this.#sqlite
      .prepare<[], { name: string; folder: string }>('SELECT name, folder FROM repository_storages')
      .all()
    return Object.fromEntries(rows.map(({ name, folder }) => [name, folder]))
  }

  /** Copies the database as of the pinned moment into a new file. */
  async copyTo(file: string): Promise<void> {
    await this.#sqlite.backup(file)
  }

  close(): void {
    this.#sqlite.close()
  }
}

function appliedMigrations(sqlite: BetterSqlite3.Database): string[] {
  if (!hasTable(sqlite, 'schema_migrations')) return []
  return sqlite
    .prepare<[], { name: string }>('SELECT name FROM schema_migrations ORDER BY name')
    .all()
    .map(({ name }) => name)
}

function summaryOf(sqlite: BetterSqlite3.Database): CopySummary {
  const counts = COUNTED_TABLES.filter((name) => hasTable(sqlite, name)).map((name): [string, number] => [
    name,
    sqlite.prepare<[], { n: number }>(`SELECT count(*) AS n FROM ${name}`).get()!.n,
  ])
  return { schema: appliedMigrations(sqlite).at(-1) ?? '', counts: Object.fromEntries(counts) }
}

/** A restored database that cannot be used. The message is a sentence for users. */
export class UnusableDatabase extends Error {}

/**
 * Checks a database from a backup, and stores the new folders of its storages. Throws UnusableDatabase when it is
 * damaged, does not belong to Deskforge, or was written by a release with migrations that are not in `migrations`.
 */
export function adoptCopy(
  file: string,
  migrations: readonly string[],
  storages: Readonly<Record<string, string>>,
): void {
  let sqlite: BetterSqlite3.Database
  try {
    sqlite = new BetterSqlite3(file, { fileMustExist: true })
  } catch {
    throw new UnusableDatabase('The database in the backup cannot be opened.')
  }
  try {
    check(sqlite, migrations)
    if (hasTable(sqlite, 'repository_storages')) storeFolders(sqlite, storages)
    sqlite.pragma('wal_checkpoint(TRUNCATE)')
  } catch (error) {
    if (error instanceof UnusableDatabase) throw error
    throw new UnusableDatabase(`The database in the backup is damaged: ${(error as Error).message}.`)
  } finally {
    sqlite.close()
  }
}

function check(sqlite: BetterSqlite3.Database, migrations: readonly string[]): void {
  const applied = appliedMigrations(sqlite)
  if (applied.length === 0)
    throw new UnusableDatabase('The database in the backup does not belong to Deskforge.')
  const names = new Set(migrations)
  const newer = applied.find((name) => !names.has(name))
  if (newer !== undefined)
    throw new UnusableDatabase(
      `The backup was written by a newer release of Deskforge (it has the migration ${newer}).`,
    )
  const [row] = sqlite.pragma('quick_check(1)') as { quick_check: string }[]
  if (row?.quick_check !== 'ok')
    throw new UnusableDatabase(`The database in the backup is damaged: ${row?.quick_check}.`)
}

/**
 * Stores the new folders of the storages. The old folders may belong to a running instance, and two instances in one
 * folder would destroy each other's data.
 */
function storeFolders(sqlite: BetterSqlite3.Database, storages: Readonly<Record<string, string>>): void {
  const insert = sqlite.prepare(
    `INSERT INTO repository_storages (name, folder, created_at) VALUES (?, ?, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
     ON CONFLICT (name) DO UPDATE SET folder = excluded.folder`,
  )
  for (const [name, folder] of Object.entries(storages)) insert.run(name, folder)
}
