import BetterSqlite3 from 'better-sqlite3'
import { copyFileSync, existsSync, readFileSync } from 'node:fs'

import { StartupError } from '../lib/fail.ts'
import { createWithoutCopyOnWrite } from '../lib/files/btrfs.ts'
import { writeDurably } from '../lib/files/durable-file.ts'
import type { Logger } from '../lib/log.ts'
import { WriteAheadLog } from './commit-sync.ts'
import { Database } from './database.ts'
import { refuseForeignDatabase, refuseMissingDatabase, storeIdentity } from './identity.ts'
import { migrate } from './migrate.ts'
import { excludeOthers, mustExcludeOthers } from './other-connections.ts'

/** The name of a database with all tables and no rows. The build creates it in the folder of assets. */
export const EMPTY_DATABASE = 'empty.db'

/** How to open the database file. */
export interface OpenOptions {
  /** Path of the file, or `:memory:`. */
  file: string
  /** Folder for the copy that is made before an upgrade. */
  backupDir: string
  /** Folder of the database's repositories; if undefined, the identities are not compared. */
  repositories?: string
  /** A database with all tables and no rows. A new database is copied from it, which is faster than all migrations. */
  empty?: string | undefined
  /** For a temporary instance: writes do not wait for the disk, so a power cut may lose data. */
  temporary?: boolean
  log: Logger
}

function connect(options: OpenOptions): BetterSqlite3.Database {
  try {
    const isExclusive = mustExcludeOthers(options.file)
    // SQLite maps this file into memory.
    if (options.file !== ':memory:' && !isExclusive) createWithoutCopyOnWrite(`${options.file}-shm`)
    const sqlite = new BetterSqlite3(options.file)
    if (isExclusive) excludeOthers(sqlite)
    // This setting comes first, so that all later statements wait for another process's lock.
    sqlite.pragma('busy_timeout = 5000')
    // Readers never wait for the writer, and a commit is one append.
    sqlite.pragma('journal_mode = WAL')
    sqlite.pragma(`synchronous = ${options.temporary ? 'OFF' : 'FULL'}`)
    sqlite.pragma('foreign_keys = ON')
    // 16 MB of pages stay in memory, and so do sorting and temporary tables.
    sqlite.pragma('cache_size = -16000')
    sqlite.pragma('temp_store = MEMORY')
    // A checkpoint runs once per 16 MB of log, so that pages that change often are copied to the database less often.
    sqlite.pragma('wal_autocheckpoint = 4000')
    // A large write-ahead log is truncated after its checkpoint.
    sqlite.pragma('journal_size_limit = 67108864')
    return sqlite
  } catch (error) {
    throw cannotOpen(options, error)
  }
}

/** Copies the empty database if there is none yet. SQLite would write a log that was left behind into the copy. */
function copyEmpty(options: OpenOptions): void {
  const { empty, file } = options
  if (empty === undefined || !existsSync(empty)) return
  if (existsSync(file) || existsSync(`${file}-wal`)) return
  try {
    if (options.temporary) copyFileSync(empty, file)
    else writeDurably(file, readFileSync(empty))
  } catch (error) {
    throw cannotOpen(options, error)
  }
}

function cannotOpen(options: OpenOptions, error: unknown): StartupError {
  const reason = error instanceof Error ? error.message : String(error)
  return new StartupError(`The database ${options.file} cannot be opened: ${reason}.`)
}

/**
 * Opens and upgrades the database. Fails with `StartupError` when the file cannot be opened, was written by a newer
 * release, or does not belong to the repositories.
 */
export function openDatabase(options: OpenOptions): Database {
  const { file: database, repositories } = options
  if (repositories !== undefined) refuseMissingDatabase(database, repositories)
  copyEmpty(options)
  const sqlite = connect(options)
  try {
    if (repositories !== undefined) refuseForeignDatabase(sqlite, { database, repositories })
    migrate(sqlite, options)
    if (repositories !== undefined) storeIdentity(sqlite, repositories)
  } catch (error) {
    sqlite.close()
    throw error instanceof StartupError ? error : cannotOpen(options, error)
  }
  if (options.temporary || database === ':memory:')
    return new Database(sqlite, options.log, undefined, () => connect(options))
  // A commit only appends to the log. A write that was answered survives a power cut, because the answer waits for
  // `Database.stored`, which syncs the log for many commits at once. SQLite syncs the files at a checkpoint.
  const synced = (connection: BetterSqlite3.Database): BetterSqlite3.Database => {
    connection.pragma('synchronous = NORMAL')
    return connection
  }
  return new Database(synced(sqlite), options.log, new WriteAheadLog(database), () =>
    synced(connect(options)),
  )
}
