import type BetterSqlite3 from 'better-sqlite3'
import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { writeDurably } from '../lib/files/durable-file.ts'
import { StartupError } from '../lib/fail.ts'

/**
 * The database and the repositories belong together, because folder names contain the ids of rows. Both store the id of
 * the instance. The start refuses an empty database or one of another instance, because new projects would get the
 * private repositories of old ones.
 */

/** The file with the id, in the folder of the repositories. */
const FILE = 'instance.id'
const ID = /^[0-9a-f-]{36}$/

/**
 * Throws when the database file is missing or empty although repositories exist. Call it before SQLite creates a file.
 */
export function refuseMissingDatabase(database: string, repositories: string): void {
  if ((statSync(database, { throwIfNoEntry: false })?.size ?? 0) > 0) return
  // The content of an empty file may still be in the write-ahead log.
  if ((statSync(`${database}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0) return
  if (!isInUse(repositories)) return
  const state = existsSync(database) ? 'is empty' : 'is missing'
  throw new StartupError(
    `The database ${database} ${state}, but ${repositories} has repositories; ${remedy(database)}.`,
  )
}

/**
 * Compares the instance ids of the opened database, before its upgrade, and of its repositories. Throws `StartupError`
 * when they differ. Folders of earlier releases and restored ones have no id yet.
 */
export function refuseForeignDatabase(
  sqlite: BetterSqlite3.Database,
  { database, repositories }: { database: string; repositories: string },
): void {
  const [databaseId, folderId] = [idInDatabase(sqlite), idInFolder(repositories)]
  if (databaseId !== undefined && databaseId === folderId) return
  if (!isInUse(repositories)) return
  if (databaseId !== undefined && folderId !== undefined)
    throw new StartupError(
      `The database ${database} does not belong to the same instance as the repositories in ${repositories}; ${remedy(database)}.`,
    )
  // Data of an earlier release and restored data lack one of the ids. Their database had rows with repositories.
  const isOlder = !hasTable(sqlite, 'instance_identity')
  if ((folderId === undefined || isOlder) && hadRepositories(sqlite)) return
  throw new StartupError(
    `The database ${database} has no records of the repositories in ${repositories}; ${remedy(database)}.`,
  )
}

/** Stores the id where it is missing, in the database or the folder. Call it after the upgrade. */
export function storeIdentity(sqlite: BetterSqlite3.Database, repositories: string): void {
  const id = idInDatabase(sqlite) ?? idInFolder(repositories) ?? randomUUID()
  if (idInDatabase(sqlite) === undefined)
    sqlite.prepare('INSERT INTO instance_identity (id) VALUES (?)').run(id)
  if (idInFolder(repositories) === id) return
  mkdirSync(repositories, { recursive: true, mode: 0o700 })
  writeDurably(join(repositories, FILE), `${id}\n`)
}

function remedy(database: string): string {
  return `put its database back, restore a backup (deskforge restore FILE --data-dir ${dirname(database)} --force), or move the repositories elsewhere`
}

function idInDatabase(sqlite: BetterSqlite3.Database): string | undefined {
  if (!hasTable(sqlite, 'instance_identity')) return undefined
  return sqlite.prepare<[], { id: string }>('SELECT id FROM instance_identity').get()?.id
}

function idInFolder(repositories: string): string | undefined {
  try {
    const id = readFileSync(join(repositories, FILE), 'utf8').trim()
    return ID.test(id) ? id : undefined
  } catch {
    return undefined
  }
}

/** True if the database ever had a row with a repository. Ids are never reused, so no new row gets an old folder. */
function hadRepositories(sqlite: BetterSqlite3.Database): boolean {
  if (!hasTable(sqlite, 'sqlite_sequence')) return false
  const sql = "SELECT 1 FROM sqlite_sequence WHERE name IN ('projects', 'snippets', 'wikis') AND seq > 0"
  return sqlite.prepare(sql).get() !== undefined
}

/** True when the database has a table. */
export function hasTable(sqlite: BetterSqlite3.Database, name: string): boolean {
  return (
    sqlite.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?").get(name) !== undefined
  )
}

/** True for a folder that contains a repository; removed repositories leave empty folders. */
function isInUse(folder: string, depth = 4): boolean {
  const entries = existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : []
  const folders = entries.filter((entry) => entry.isDirectory())
  if (folders.some(({ name }) => name.endsWith('.git'))) return true
  return depth > 0 && folders.some(({ name }) => isInUse(join(folder, name), depth - 1))
}
