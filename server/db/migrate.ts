import type BetterSqlite3 from 'better-sqlite3'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'

import { StartupError } from '../lib/fail.ts'
import type { Logger } from '../lib/log.ts'

const files = import.meta.glob<string>('./migrations/*.sql', {
  query: '?raw',
  import: 'default',
  eager: true,
})

/** A migration: its file name without `.sql`, and its SQL. A released migration is never changed. */
export interface Migration {
  name: string
  sql: string
}

/** All migrations, oldest first. */
export const migrations: readonly Migration[] = Object.entries(files)
  .map(([path, sql]) => ({ name: path.replace(/^.*\//, '').replace(/\.sql$/, ''), sql }))
  .sort((a, b) => (a.name < b.name ? -1 : 1))

interface MigrateOptions {
  file: string
  backupDir: string
  log: Logger
}

function appliedNames(sqlite: BetterSqlite3.Database): string[] {
  const table = sqlite.prepare("SELECT 1 FROM sqlite_master WHERE name = 'schema_migrations'").get()
  if (!table) return []
  return sqlite
    .prepare<[], { name: string }>('SELECT name FROM schema_migrations')
    .all()
    .map((row) => row.name)
}

/** Copies the database before its upgrade, so that the upgrade can be undone; this takes a few milliseconds. */
function backUp(sqlite: BetterSqlite3.Database, options: MigrateOptions, last: string): void {
  try {
    mkdirSync(options.backupDir, { recursive: true })
    const target = freeName(join(options.backupDir, `before-upgrade-from-${last}`))
    sqlite.prepare('VACUUM INTO ?').run(target)
    options.log.info({ target }, 'copied the database before upgrading it')
  } catch (error) {
    throw new StartupError(
      `The database could not be copied to ${options.backupDir} before its upgrade: ${reasonOf(error)}; nothing was changed.`,
    )
  }
}

/** A file name that is not in use. */
function freeName(base: string): string {
  for (let attempt = 1; ; attempt++) {
    const name = attempt === 1 ? `${base}.db` : `${base}-${attempt}.db`
    if (!existsSync(name)) return name
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function apply(sqlite: BetterSqlite3.Database, { name, sql }: Migration): void {
  sqlite.exec('BEGIN IMMEDIATE')
  try {
    sqlite.exec(sql)
    const broken = sqlite.pragma('foreign_key_check') as unknown[]
    if (broken.length > 0) throw new Error(`${broken.length} rows would refer to rows that do not exist`)
    sqlite
      .prepare(
        "INSERT INTO schema_migrations (name, applied_at) VALUES (?, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))",
      )
      .run(name)
    sqlite.exec('COMMIT')
  } catch (error) {
    // Some errors end the transaction themselves.
    if (sqlite.inTransaction) sqlite.exec('ROLLBACK')
    throw new StartupError(`The database could not be upgraded (step ${name}): ${reasonOf(error)}.`)
  }
}

/**
 * Brings the schema up to date, each migration in its own transaction. Refuses a database that a newer release wrote,
 * which has migrations that this release does not know, before anything is changed.
 */
export function migrate(sqlite: BetterSqlite3.Database, options: MigrateOptions, known = migrations): void {
  const applied = new Set(appliedNames(sqlite))
  const names = new Set(known.map(({ name }) => name))
  const unknown = [...applied].filter((name) => !names.has(name))
  if (unknown.length > 0) {
    throw new StartupError(
      `The database ${options.file} was written by a newer release of Deskforge (it has the migration ${unknown[0]}); nothing was changed.`,
    )
  }
  const pending = known.filter(({ name }) => !applied.has(name))
  if (pending.length === 0) return
  if (applied.size > 0) backUp(sqlite, options, [...applied].sort().at(-1)!)
  // With foreign keys on, rebuilding a table would delete rows that refer to it. The switch has no effect in a transaction.
  sqlite.pragma('foreign_keys = OFF')
  sqlite.exec(
    'CREATE TABLE IF NOT EXISTS schema_migrations (name TEXT PRIMARY KEY, applied_at TEXT NOT NULL) STRICT',
  )
  for (const migration of pending) apply(sqlite, migration)
  sqlite.pragma('foreign_keys = ON')
}
