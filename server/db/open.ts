import BetterSqlite3 from 'better-sqlite3'

import { StartupError } from '../lib/fail.ts'
import type { Logger } from '../lib/log.ts'
import { WriteAheadLog } from './commit-sync.ts'
import { Database } from './database.ts'
import { refuseForeignDatabase, refuseMissingDatabase, rememberIdentity } from './identity.ts'
import { migrate } from './migrate.ts'

/** How to open the database file. */
export interface OpenOptions {
  /** Path of the file, or `:memory:`. */
  file: string
  /** Folder for the copy that is made before an upgrade. */
  backupDir: string
  /** Folder of the database's repositories; if undefined, the identities are not compared. */
  repositories?: string
  /** A temporary instance: faster, but a power cut may lose the last writes. */
  throwAway?: boolean
  log: Logger
}

function connect(options: OpenOptions): BetterSqlite3.Database {
  try {
    const sqlite = new BetterSqlite3(options.file)
    // Set first, so that all later statements wait for another process's lock.
    sqlite.pragma('busy_timeout = 5000')
    // Readers never wait for the writer, and a commit is one append.
    sqlite.pragma('journal_mode = WAL')
    sqlite.pragma(`synchronous = ${options.throwAway ? 'OFF' : 'FULL'}`)
    sqlite.pragma('foreign_keys = ON')
    // 16 MB of pages in memory; sorting and temporary tables in memory too.
    sqlite.pragma('cache_size = -16000')
    sqlite.pragma('temp_store = MEMORY')
    // Pages that change again and again are copied to the database once per 16 MB of log.
    sqlite.pragma('wal_autocheckpoint = 4000')
    // A large write-ahead log is truncated after its checkpoint.
    sqlite.pragma('journal_size_limit = 67108864')
    return sqlite
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
  const sqlite = connect(options)
  try {
    if (repositories !== undefined) refuseForeignDatabase(sqlite, { database, repositories })
    migrate(sqlite, options)
    if (repositories !== undefined) rememberIdentity(sqlite, repositories)
  } catch (error) {
    sqlite.close()
    throw error instanceof StartupError ? error : cannotOpen(options, error)
  }
  if (options.throwAway || database === ':memory:')
    return new Database(sqlite, options.log, undefined, () => connect(options))
  // A commit only appends to the log. An answered write survives a power cut because the answer waits for
  // `Database.stored`, which syncs the log for many commits at once. Checkpoints sync by themselves.
  const synced = (connection: BetterSqlite3.Database): BetterSqlite3.Database => {
    connection.pragma('synchronous = NORMAL')
    return connection
  }
  return new Database(synced(sqlite), options.log, new WriteAheadLog(database), () =>
    synced(connect(options)),
  )
}
