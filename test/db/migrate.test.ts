import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import BetterSqlite3 from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'

import { migrate, migrations, type Migration } from '../../server/db/migrate.ts'
import { openDatabase } from '../../server/db/open.ts'
import { StartupError } from '../../server/lib/fail.ts'
import { folder, silent } from '../support/database.ts'

const FIRST: Migration = {
  name: '202601010000_a_create',
  sql: `CREATE TABLE a (id INTEGER PRIMARY KEY) STRICT;
        CREATE TABLE b (a_id INTEGER NOT NULL REFERENCES a (id) ON DELETE CASCADE) STRICT;
        INSERT INTO a VALUES (1); INSERT INTO b VALUES (1);`,
}

function target(): { file: string; backupDir: string } {
  const dir = folder()
  return { file: join(dir, 'deskforge.db'), backupDir: join(dir, 'backups') }
}

/** Opens the file with the given steps and closes it again. */
function upgrade(at: ReturnType<typeof target>, steps: Migration[]): void {
  const sqlite = new BetterSqlite3(at.file)
  try {
    sqlite.pragma('foreign_keys = ON')
    migrate(sqlite, { ...at, log: silent }, steps)
    expect(sqlite.pragma('foreign_keys', { simple: true })).toBe(1)
  } finally {
    sqlite.close()
  }
}

function read(file: string, sql: string): unknown[] {
  const sqlite = new BetterSqlite3(file, { readonly: true })
  try {
    return sqlite.prepare(sql).raw().all().flat()
  } finally {
    sqlite.close()
  }
}

const TABLES = "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"

describe('a new database', () => {
  it('runs every migration in order, and passes its integrity check', () => {
    const at = target()
    openDatabase({ ...at, log: silent }).close()
    expect(read(at.file, 'SELECT name FROM schema_migrations ORDER BY rowid')).toEqual(
      migrations.map((step) => step.name),
    )
    expect(read(at.file, 'PRAGMA integrity_check')).toEqual(['ok'])
    expect(read(at.file, 'PRAGMA foreign_key_check')).toEqual([])
    expect(existsSync(at.backupDir)).toBe(false)
  })

  it('is a copy of the empty one, unless there is a database or a log of one', () => {
    const empty = target().file
    const filled = openDatabase({ file: empty, backupDir: '', log: silent })
    filled.exec("INSERT INTO cron_runs (name, last_run_at) VALUES ('copied', 'now')")
    filled.close()
    const marks = (at: { file: string; backupDir: string }) => {
      openDatabase({ ...at, empty, log: silent }).close()
      return read(at.file, 'SELECT name FROM cron_runs')
    }
    const [fresh, existing, afterLog] = [target(), target(), target()]
    // The copy of a start that was killed.
    writeFileSync(`${fresh.file}.part`, 'half')
    expect(marks(fresh)).toEqual(['copied'])
    expect(existsSync(`${fresh.file}.part`)).toBe(false)
    openDatabase({ ...existing, log: silent }).close()
    expect(marks(existing)).toEqual([])
    writeFileSync(`${afterLog.file}-wal`, 'left behind')
    expect(marks(afterLog)).toEqual([])
  })

  it('has strict tables only, and an index for every foreign key', () => {
    const at = target()
    openDatabase({ ...at, log: silent }).close()
    const sqlite = new BetterSqlite3(at.file, { readonly: true })
    onTestFinished(() => void sqlite.close())
    const tables = sqlite
      .prepare<[], { name: string; strict: number }>(
        "SELECT name, strict FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%'",
      )
      .all()
    expect(tables.filter((table) => table.strict === 0).map((table) => table.name)).toEqual([])
    const bare = tables.flatMap(({ name }) => {
      const keys = sqlite.pragma(`foreign_key_list(${name})`) as { from: string }[]
      const indexes = sqlite.pragma(`index_list(${name})`) as { name: string }[]
      const first = indexes.map(
        (index) => (sqlite.pragma(`index_info(${index.name})`) as { name: string | null }[])[0]?.name,
      )
      // An integer primary key is the row ID, so it needs no index.
      const columns = sqlite.pragma(`table_info(${name})`) as { name: string; type: string; pk: number }[]
      const own = columns.filter((column) => column.pk > 0)
      const rowid = own.length === 1 && own[0]!.type === 'INTEGER' ? own[0]!.name : null
      return keys
        .filter((key) => key.from !== rowid && !first.includes(key.from))
        .map((key) => `${name}.${key.from}`)
    })
    // Deleting a row of the parent table would scan the whole child table.
    expect(bare).toEqual([])
  })

  it('has migration names that sort by time', () => {
    for (const { name } of migrations) expect(name).toMatch(/^\d{12}_[a-z_]+$/)
    expect(new Set(migrations.map(({ name }) => name.slice(0, 12))).size).toBe(migrations.length)
  })
})

describe('opening again', () => {
  it('changes nothing', () => {
    const at = target()
    openDatabase({ ...at, log: silent }).close()
    const before = readFileSync(at.file)
    openDatabase({ ...at, log: silent }).close()
    expect(readFileSync(at.file).equals(before)).toBe(true)
  })
})

describe('an upgrade', () => {
  const second: Migration = { name: '202601020000_a_more', sql: 'ALTER TABLE a ADD COLUMN more TEXT' }

  it('copies the database first', () => {
    const at = target()
    upgrade(at, [FIRST])
    upgrade(at, [FIRST, second])
    const [copy, ...others] = readdirSync(at.backupDir)
    expect(others).toEqual([])
    expect(copy).toContain('before-upgrade-from-202601010000_a_create')
    expect(read(join(at.backupDir, copy!), 'SELECT name FROM schema_migrations')).toEqual([FIRST.name])
    expect(read(join(at.backupDir, copy!), "SELECT name FROM pragma_table_info('a')")).toEqual(['id'])
    expect(read(at.file, "SELECT name FROM pragma_table_info('a')")).toEqual(['id', 'more'])
  })

  it('can be repeated after a failure, and keeps each copy', () => {
    const at = target()
    upgrade(at, [FIRST])
    for (let time = 0; time < 3; time++)
      expect(() => upgrade(at, [FIRST, { name: '202601020000_bad', sql: 'nonsense' }])).toThrow(
        /step 202601020000_bad/,
      )
    upgrade(at, [FIRST, second])
    expect(readdirSync(at.backupDir).length).toBeGreaterThan(0)
  })

  it('may rebuild a table without losing the rows that refer to it', () => {
    const at = target()
    upgrade(at, [FIRST])
    const sql = `CREATE TABLE a2 (id INTEGER PRIMARY KEY, more TEXT) STRICT;
      INSERT INTO a2 (id) SELECT id FROM a; DROP TABLE a; ALTER TABLE a2 RENAME TO a;`
    upgrade(at, [FIRST, { name: '202601020000_a_rebuild', sql }])
    expect(read(at.file, 'SELECT a_id FROM b')).toEqual([1])
  })

  it.each([
    ['broken SQL', 'CREATE TABLE half (id INTEGER); INSERT INTO half VALUES (1); nonsense;'],
    ['rows that would point to nothing', 'CREATE TABLE half (id INTEGER); DELETE FROM a;'],
    ['a refused row', 'CREATE TABLE half (id INTEGER); INSERT OR ROLLBACK INTO a VALUES (1);'],
  ])('rolls back a failed migration: %s', (_, sql) => {
    const at = target()
    upgrade(at, [FIRST])
    const steps = [FIRST, second, { name: '202601030000_bad', sql }]
    expect(() => upgrade(at, steps)).toThrow(StartupError)
    expect(() => upgrade(at, steps)).toThrow(
      /^The database could not be upgraded \(step 202601030000_bad\): [^\n]+\.$/,
    )
    expect(read(at.file, TABLES)).toEqual(['a', 'b', 'schema_migrations'])
    expect(read(at.file, 'SELECT name FROM schema_migrations ORDER BY name')).toEqual([
      FIRST.name,
      second.name,
    ])
    expect(read(at.file, 'SELECT a_id FROM b')).toEqual([1])
  })

  it('reports in one sentence that the copy does not fit', () => {
    const at = target()
    upgrade(at, [FIRST])
    writeFileSync(at.backupDir, 'a file where the folder should be')
    expect(() => upgrade(at, [FIRST, second])).toThrow(StartupError)
    expect(read(at.file, 'SELECT name FROM schema_migrations')).toEqual([FIRST.name])
  })
})

describe('a database that cannot be used', () => {
  it('of a newer release is refused and stays unchanged', () => {
    const at = target()
    upgrade(at, [FIRST, { name: '209901010000_future', sql: 'CREATE TABLE future (id INTEGER)' }])
    const before = readFileSync(at.file)
    const later = { name: '202601020000_more', sql: 'CREATE TABLE more (id INTEGER)' }
    expect(() => upgrade(at, [FIRST, later])).toThrow(StartupError)
    expect(() => upgrade(at, [FIRST, later])).toThrow(
      /newer release .*209901010000_future.*nothing was changed/,
    )
    expect(readFileSync(at.file).equals(before)).toBe(true)
    expect(existsSync(at.backupDir)).toBe(false)
  })

  it('is refused in one sentence and stays unchanged if the file is no database', () => {
    const at = target()
    writeFileSync(at.file, 'This is a letter to my grandmother, and no database at all. '.repeat(100))
    const before = readFileSync(at.file)
    expect(() => openDatabase({ ...at, log: silent })).toThrow(StartupError)
    expect(readFileSync(at.file).equals(before)).toBe(true)
  })

  it('is refused in one sentence if it is damaged', () => {
    const at = target()
    openDatabase({ ...at, log: silent }).close()
    const bytes = readFileSync(at.file)
    bytes.fill(0xff, 100, bytes.length)
    writeFileSync(at.file, bytes)
    expect(() => openDatabase({ ...at, log: silent })).toThrow(StartupError)
  })

  it('is refused in one sentence if its path cannot be a file', () => {
    const at = target()
    expect(() =>
      openDatabase({ ...at, file: join(at.backupDir, 'no', 'such', 'folder.db'), log: silent }),
    ).toThrow(StartupError)
  })
})
