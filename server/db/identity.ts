import type BetterSqlite3 from 'better-sqlite3'
import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { writeDurably } from '../lib/files/durable-file.ts'
import { StartupError } from '../lib/fail.ts'

/**
 * The database and the repositories belong together: rows name folders by number. Both carry the id of the instance,
 * and the start refuses an empty or foreign database, because new projects would get the private repositories of old
 * ones.
 */

/** The file with the id, in the folder of the repositories. */
const FILE = 'instance.id'
const ID = /^[0-9a-f-]{36}$/

/**
 * Throws when the database file is missing or empty although repositories exist. Call it before SQLite creates a file.
 */
export function refuseMissingDatabase(database: string, repositories: string): void {
  if ((statSync(database, { throwIfNoEntry: false })?.size ?? 0) > 0) return
  // Its content may still be in the write-ahead log.
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
  const [inDatabase, inFolder] = [idOf(sqlite), idIn(repositories)]
  if (inDatabase !== undefined && inDatabase === inFolder) return
  if (!isInUse(repositories)) return
  if (inDatabase !== undefined && inFolder !== undefined)
    throw new StartupError(
      `The database ${database} does not belong to the same instance as the repositories in ${repositories}; ${remedy(database)}.`,
    )
  // The data is from an earlier release or restored: one side has no id, and the repositories belonged to rows.
  const isOlder = !hasTable(sqlite, 'instance_identity')
  if ((inFolder === undefined || isOlder) && hasHadOwners(sqlite)) return
  throw new StartupError(
    `The database ${database} has no records of the repositories in ${repositories}; ${remedy(database)}.`,
  )
}

/** Stores the id on the side that lacks it. Call it after the upgrade. */
export function rememberIdentity(sqlite: BetterSqlite3.Database, repositories: string): void {
  const id = idOf(sqlite) ?? idIn(repositories) ?? randomUUID()
  if (idOf(sqlite) === undefined) sqlite.prepare('INSERT INTO instance_identity (id) VALUES (?)').run(id)
  if (idIn(repositories) === id) return
  mkdirSync(repositories, { recursive: true, mode: 0o700 })
  writeDurably(join(repositories, FILE), `${id}\n`)
}

function remedy(database: string): string {
  return `put its database back, restore a backup (deskforge restore FILE --data-dir ${dirname(database)} --force), or move the repositories elsewhere`
}

function idOf(sqlite: BetterSqlite3.Database): string | undefined {
  if (!hasTable(sqlite, 'instance_identity')) return undefined
  return sqlite.prepare<[], { id: string }>('SELECT id FROM instance_identity').get()?.id
}

function idIn(repositories: string): string | undefined {
  try {
    const id = readFileSync(join(repositories, FILE), 'utf8').trim()
    return ID.test(id) ? id : undefined
  } catch {
    return undefined
  }
}

/** Ids are never reused, so an orphaned repository cannot get another owner. */
function hasHadOwners(sqlite: BetterSqlite3.Database): boolean {
  if (!hasTable(sqlite, 'sqlite_sequence')) return false
  const sql = "SELECT 1 FROM sqlite_sequence WHERE name IN ('projects', 'snippets', 'wikis') AND seq > 0"
  return sqlite.prepare(sql).get() !== undefined
}

function hasTable(sqlite: BetterSqlite3.Database, name: string): boolean {
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
