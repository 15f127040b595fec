import BetterSqlite3 from 'better-sqlite3'
import { constants, copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { mayHaveQuota } from '../lib/files/btrfs.ts'
import { copyLockedFile } from '../lib/files/copy-locked-file.ts'

/**
 * Whether a connection to this file must keep SQLite's index of the write-ahead log in its own memory. The index is usually a file that is
 * mapped into memory, and the system ends the program (SIGBUS) if a quota of btrfs has no space for a change of it. Such
 * a connection excludes all others.
 */
export function mustExcludeOthers(file: string): boolean {
  return file !== ':memory:' && mayHaveQuota(dirname(file))
}

/** Makes a new connection the only one. Call it before the connection reads or writes. */
export function excludeOthers(sqlite: BetterSqlite3.Database): void {
  sqlite.pragma('locking_mode = EXCLUSIVE')
}

/** Opens a connection that only reads. Throws when the file cannot be opened. */
export function openReadOnly(file: string): BetterSqlite3.Database {
  const isExclusive = mustExcludeOthers(file)
  // Excluding others takes a lock that SQLite refuses to a read-only connection.
  const sqlite = new BetterSqlite3(file, { readonly: !isExclusive, fileMustExist: true, timeout: 5000 })
  if (isExclusive) {
    excludeOthers(sqlite)
    sqlite.pragma('query_only = ON')
  }
  return sqlite
}

/**
 * Writes the current content of a database into a new file. Copying the database file is fastest, but needs all commits
 * in it. While another thread reads an older state, some commits stay in the write-ahead log. Unless `keepsLocks`, the
 * copy may release SQLite's locks, which saves about 10 ms.
 */
export function copyDatabase(sqlite: BetterSqlite3.Database, file: string, keepsLocks: boolean): void {
  const [state] = sqlite.pragma('wal_checkpoint(PASSIVE)') as {
    busy: number
    log: number
    checkpointed: number
  }[]
  if (state?.busy !== 0 || state.log !== state.checkpointed) sqlite.prepare('VACUUM INTO ?').run(file)
  else if (keepsLocks) copyLockedFile(sqlite.name, file)
  else copyFileSync(sqlite.name, file, constants.COPYFILE_FICLONE)
}

/** The main connection of a database. */
interface MainConnection {
  readonly file: string
  readonly excludesOthers: boolean
  copyTo(file: string): void
}

/** A file for other connections. Call `release` after they are closed. */
export interface ReadableFile {
  readonly path: string
  release(): void
}

/**
 * Returns a file that other connections can read: the database itself, or a copy in `folder` if the connection of the
 * database excludes others. A copy has the content of this moment.
 */
export function readableFile(db: MainConnection, folder: string): ReadableFile {
  if (!db.excludesOthers) return { path: db.file, release: () => undefined }
  const copies = mkdtempSync(join(folder, 'database-'))
  const release = (): void => rmSync(copies, { recursive: true, force: true })
  const path = join(copies, 'deskforge.db')
  try {
    db.copyTo(path)
  } catch (error) {
    release()
    throw error
  }
  return { path, release }
}

/** Calls `use` with the path of a `readableFile`, and releases it when the promise settles. */
export async function withReadableFile<T>(
  db: MainConnection,
  folder: string,
  use: (path: string) => Promise<T>,
): Promise<T> {
  const file = readableFile(db, folder)
  try {
    return await use(file.path)
  } finally {
    file.release()
  }
}
