import type { KeyObject } from 'node:crypto'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import BetterSqlite3 from 'better-sqlite3'

import { dataPaths } from '../../server/config.ts'
import { finishRotation, rotateKey, rotation } from '../../server/key-rotation.ts'
import { SEALED_COLUMNS, SEALED_FILES, SEALED_MAPS } from '../../server/lib/security/sealed-columns.ts'
import { openWith, readKey } from '../../server/lib/security/sealing.ts'
import { Secrets } from '../../server/lib/security/secrets.ts'
import { emptyDatabase } from '../support/empty-database.ts'
import { root } from '../support/server-process.ts'

const FILES = ['a1', 'b2', 'c3']
let dataDir: string
let paths: ReturnType<typeof dataPaths>

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'deskforge-rotation-'))
  paths = dataPaths(dataDir)
  copyFileSync(emptyDatabase(), paths.database)
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

interface Column {
  name: string
  type: string
  notnull: number
  dflt_value: string | null
  pk: number
}

/** Inserts a row with any valid values. */
function insert(sqlite: BetterSqlite3.Database, table: string, fields: Record<string, string>): void {
  const columns = sqlite.pragma(`table_info(${table})`) as Column[]
  const needed = columns.filter(
    (column) => column.name in fields || (column.notnull && column.dflt_value === null),
  )
  const values = needed.map(({ name, type, pk }) => {
    if (name in fields) return fields[name]
    if (type === 'INTEGER') return pk ? 1 : 7
    return type === 'BLOB' ? Buffer.from('x') : `x-${name}`
  })
  const names = needed.map((column) => column.name)
  const marks = names.map(() => '?').join(', ')
  sqlite.prepare(`INSERT OR REPLACE INTO ${table} (${names.join(', ')}) VALUES (${marks})`).run(...values)
}

function openSqlite(): BetterSqlite3.Database {
  const sqlite = new BetterSqlite3(paths.database)
  sqlite.pragma('foreign_keys = OFF')
  sqlite.pragma('ignore_check_constraints = ON')
  return sqlite
}

const tables = [...new Set(SEALED_COLUMNS.map((column) => column.table))]
const plainOf = (table: string, column: string) => `secret of ${table}.${column}`

/** Writes a sealed value into every column of the registry. */
function fill(rows = 1): void {
  const secrets = new Secrets(paths.secretKey)
  const sqlite = openSqlite()
  sqlite.transaction(() => {
    for (const table of tables) {
      const own = SEALED_COLUMNS.filter((column) => column.table === table)
      const seal = () =>
        Object.fromEntries(
          own.map(({ column, purpose }) => [column, secrets.seal(plainOf(table, column), purpose)]),
        )
      insert(sqlite, table, seal())
    }
    const columns = sqlite.pragma('table_info(hook_events)') as Column[]
    const names = columns.flatMap((column) => (column.pk ? [] : [column.name])).join(', ')
    sqlite
      .prepare(
        `INSERT INTO hook_events (${names}) WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
         SELECT ${names} FROM n, hook_events WHERE ? >= 2 AND id = 1`,
      )
      .run(rows, rows)
    for (const { table, column, purpose } of SEALED_MAPS) {
      const map = { mail_password: secrets.seal(plainOf(table, column), `${purpose}.mail_password`) }
      sqlite.prepare(`DELETE FROM ${table}`).run()
      insert(sqlite, table, { [column]: JSON.stringify(map) })
    }
  })()
  sqlite.close()
  mkdirSync(join(paths.secureFiles, '7'), { recursive: true })
  for (const name of FILES)
    writeFileSync(join(paths.secureFiles, '7', name), secrets.seal(`file ${name}`, `${SEALED_FILES}:${name}`))
}

/** The content of each sealed value, opened with any of these keys; undefined if no key opens it. */
function opened(keys: readonly KeyObject[]): Record<string, string | undefined> {
  const open = (sealed: string, purpose: string) =>
    keys.map((key) => openWith(key, sealed, purpose)?.toString()).find((opened) => opened !== undefined)
  const found: Record<string, string | undefined> = {}
  const sqlite = openSqlite()
  for (const { table, column, purpose } of SEALED_COLUMNS) {
    const rows = sqlite.prepare(`SELECT ${column} FROM ${table}`).pluck().all() as string[]
    expect(rows.length, table).toBeGreaterThan(0)
    for (const sealed of rows) found[`${table}.${column}`] = open(sealed, purpose)
  }
  for (const { table, column, purpose } of SEALED_MAPS) {
    const map = sqlite.prepare(`SELECT ${column} FROM ${table}`).pluck().get() as string
    for (const [name, sealed] of Object.entries(JSON.parse(map) as Record<string, string>))
      found[`${table}.${column}`] = open(sealed, `${purpose}.${name}`)
  }
  sqlite.close()
  for (const name of FILES)
    found[name] = open(readFileSync(join(paths.secureFiles, '7', name), 'utf8'), `${SEALED_FILES}:${name}`)
  return found
}

const expected = Object.fromEntries([
  ...[...SEALED_COLUMNS, ...SEALED_MAPS].map(({ table, column }) => [
    `${table}.${column}`,
    plainOf(table, column),
  ]),
  ...FILES.map((name) => [name, `file ${name}`]),
])

const keysThere = () => [paths.secretKey, `${paths.secretKey}.next`].flatMap((file) => readKey(file) ?? [])

describe('a new key of the instance', () => {
  it('opens every sealed value, and the old key opens none', () => {
    fill()
    const old = readKey(paths.secretKey)!
    expect(rotateKey(paths)).toEqual({ count: Object.keys(expected).length, unreadable: 0 })
    expect(keysThere()).toHaveLength(1)
    expect(keysThere()[0]!.equals(old)).toBe(false)
    expect(opened(keysThere())).toEqual(expected)
    expect(new Set(Object.values(opened([old])))).toEqual(new Set([undefined]))
    expect(readdirSync(dataDir).filter((name) => name.startsWith('secrets.key'))).toEqual(['secrets.key'])
    expect(finishRotation(paths)).toBeUndefined()
  })

  it('leaves no value of the old key in the database file', () => {
    fill()
    const sqlite = openSqlite()
    const before = sqlite.prepare('SELECT value FROM ci_variables').pluck().get() as string
    sqlite.close()
    rotateKey(paths)
    for (const name of readdirSync(dataDir).filter((name) => name.startsWith('deskforge.db')))
      expect(readFileSync(join(dataDir, name)).includes(before), name).toBe(false)
  })

  it('is completed by the next start after an interruption at any step', () => {
    fill()
    for (let steps = 1; ; steps += 1) {
      const cutOff = rotation(paths)
      let taken = 0
      while (taken < steps && cutOff.next().done !== true) taken += 1
      // At any moment every value opens with one of the existing keys.
      expect(opened(keysThere()), `after ${steps} steps`).toEqual(expected)
      if (taken < steps) break
      expect(keysThere()).toHaveLength(2)
      const next = readKey(`${paths.secretKey}.next`)!
      finishRotation(paths)
      expect(keysThere()).toHaveLength(1)
      expect(keysThere()[0]!.equals(next)).toBe(true)
      expect(opened(keysThere())).toEqual(expected)
    }
  })

  it('leaves values that neither key opens unchanged, and reports them', () => {
    fill()
    const sqlite = openSqlite()
    const foreign = new Secrets(join(dataDir, 'other.key')).seal('x', 'ci_variables.value')
    sqlite.prepare('UPDATE ci_variables SET value = ?').run(foreign)
    sqlite.close()
    expect(rotateKey(paths)).toEqual({ count: Object.keys(expected).length - 1, unreadable: 1 })
  })

  it('does nothing without sealed values', () => {
    expect(rotateKey(paths)).toEqual({ count: 0, unreadable: 0 })
    expect(existsSync(paths.secretKey)).toBe(false)
  })

  it('survives a kill of its process while it rewrites the database', async () => {
    fill(5_000)
    const script = `
      import { dataPaths } from '${root}server/config.ts'
      import { rotation } from '${root}server/key-rotation.ts'
      for (const step of rotation(dataPaths(process.argv[1]))) process.stdout.write(step + '\\n')
    `
    const args = ['--input-type=module', '-e', script, dataDir]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    let output = ''
    for await (const chunk of child.stdout) {
      output += String(chunk)
      // The key files are written, and the process now runs a single transaction.
      if (output.split('file').length > FILES.length) break
    }
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    expect(child.signalCode).toBe('SIGKILL')
    expect(opened(keysThere())).toEqual(expected)
    finishRotation(paths)
    expect(keysThere()).toHaveLength(1)
    expect(opened(keysThere())).toEqual(expected)
  })
})
