import type BetterSqlite3 from 'better-sqlite3'
import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely'
import type { Compilable, CompiledQuery } from 'kysely'
import { LRUCache } from 'lru-cache'
import { performance } from 'node:perf_hooks'

import type { Logger } from '../lib/log.ts'
import { translateConstraint } from './constraints.ts'
import { decoderOf, type Decode } from './decode.ts'
import type { Schema } from './schema.gen.ts'

interface Statement extends BetterSqlite3.Statement<unknown[], unknown> {
  decode?: Decode | undefined
}

/** Queries slower than this are logged with their SQL. */
const SLOW_MS = 20
const STATEMENT_CACHE = 500
/** What `PRAGMA synchronous` says where every commit waits for the disk. */
const FULL = 2
const REMEMBERED = 20_000

/**
 * The typed query builder. It only compiles: the dummy driver makes `.execute()` fail, so that every query goes
 * through the one synchronous connection of `Database`.
 */
export const q = new Kysely<Schema>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
})

/** SQLite knows neither booleans nor dates; everything else must already be a value it stores. */
function bind(value: unknown): unknown {
  if (typeof value === 'boolean') return value ? 1 : 0
  if (value === undefined) return null
  if (value instanceof Date) return value.toISOString()
  return value
}

interface TransactionOptions {
  readonly unsynced?: boolean
  readonly unnoticed?: boolean
}

/**
 * The one connection that writes. Everything is synchronous: a transaction is a plain function and whatever runs
 * inside it is part of it, so no handle is threaded through calls.
 */
export class Database {
  readonly #sqlite: BetterSqlite3.Database
  readonly #log: Logger
  readonly #statements = new LRUCache<string, Statement>({ max: STATEMENT_CACHE })
  readonly #remembered = new LRUCache<string, { generation: number; value: unknown }>({ max: REMEMBERED })
  readonly #values = new Map<string, unknown>()
  #generation = 0
  #depth = 0
  #afterCommit: (() => void)[] = []
  /** Whether commits wait for the disk; those of throw-away instances do not. */
  readonly #isLasting: boolean

  constructor(sqlite: BetterSqlite3.Database, log: Logger) {
    this.#sqlite = sqlite
    this.#log = log
    this.#isLasting = sqlite.pragma('synchronous', { simple: true }) === FULL
  }

  /**
   * What lives as long as the instance: made by the first call with this key, and the same for every later one. Keys are
   * `<domain>.<what>`. It holds what need not survive a restart: counts, caches, work under way.
   */
  instance<T>(key: string, make: () => T): T {
    if (!this.#values.has(key)) this.#values.set(key, make())
    return this.#values.get(key) as T
  }

  /** True where the database answers. */
  answers(): boolean {
    return this.one('SELECT 1') !== undefined
  }

  /** Grows with every statement that may have changed something; equal numbers mean equal content. */
  get generation(): number {
    return this.#generation
  }

  /** True inside `tx`. */
  get inTransaction(): boolean {
    return this.#depth > 0
  }

  /** The first row of a built query. */
  get<T>(query: Compilable<T>): T | undefined {
    const compiled = query.compile()
    return this.one<T>(compiled.sql, ...compiled.parameters)
  }

  /** All rows of a built query. */
  all<T>(query: Compilable<T>): T[] {
    const compiled = query.compile()
    return this.many<T>(compiled.sql, ...compiled.parameters)
  }

  /** Runs a built write without `returning`; gives the number of changed rows and the last rowid. */
  run(query: Compilable<unknown>): { changes: number; id: number } {
    const compiled: CompiledQuery = query.compile()
    return this.exec(compiled.sql, ...compiled.parameters)
  }

  /** The first row of hand-written SQL (hot paths). Parameters are positional. */
  one<T>(sql: string, ...parameters: readonly unknown[]): T | undefined {
    return this.#timed(sql, (statement) => {
      const row = statement.get(...parameters.map(bind)) as T | undefined
      if (row !== undefined) statement.decode?.(row as Record<string, unknown>)
      if (!statement.readonly && row !== undefined) this.#changed()
      return row
    })
  }

  /** All rows of hand-written SQL. */
  many<T>(sql: string, ...parameters: readonly unknown[]): T[] {
    return this.#timed(sql, (statement) => {
      const rows = statement.all(...parameters.map(bind)) as T[]
      const { decode } = statement
      if (decode) for (const row of rows) decode(row as Record<string, unknown>)
      if (!statement.readonly && rows.length > 0) this.#changed()
      return rows
    })
  }

  /** A hand-written write. */
  exec(sql: string, ...parameters: readonly unknown[]): { changes: number; id: number } {
    const result = this.#timed(sql, (statement) => statement.run(...parameters.map(bind)))
    if (result.changes > 0) this.#changed()
    return { changes: result.changes, id: Number(result.lastInsertRowid) }
  }

  /**
   * A value computed from the database and kept for as long as nothing has been written. `key` names the computation
   * and its inputs. There is one writer and it is this connection, so the value can never be stale. Inside a
   * transaction the value is always computed.
   */
  remember<T>(key: string, compute: () => T): T {
    if (this.#depth > 0) return compute()
    const hit = this.#remembered.get(key)
    if (hit && hit.generation === this.#generation) return hit.value as T
    const value = compute()
    this.#remembered.set(key, { generation: this.#generation, value })
    return value
  }

  /**
   * Runs `work` in one IMMEDIATE transaction; a nested call joins the outer one. `work` must be synchronous: a
   * promise would commit before its work is done, so returning one throws and rolls back. `unsynced`: the disk is not waited
   * for; a power cut may take it back, unless a later transaction that was waited for is there. `unnoticed`: nothing that
   * is remembered depends on what is written, and stays so.
   */
  transaction<T>(work: () => T, options: TransactionOptions = {}): T {
    const { unsynced = false, unnoticed = false } = options
    if (this.#depth > 0) return this.#insist(work())
    if (unsynced && this.#isLasting) return this.#hurried(work, { unnoticed })
    this.#control('BEGIN IMMEDIATE')
    this.#depth = 1
    let result: T
    try {
      result = this.#insist(work())
      this.#control('COMMIT')
    } catch (error) {
      this.#afterCommit = []
      if (this.#sqlite.inTransaction) this.#control('ROLLBACK')
      throw error
    } finally {
      this.#depth = 0
      if (!unnoticed) this.#generation++
    }
    const callbacks = this.#afterCommit
    this.#afterCommit = []
    for (const callback of callbacks) this.#afterwards(callback)
    return result
  }

  /** Writes stay whole and in their order; only when they are on disk is left to the next one that insists. */
  #hurried<T>(work: () => T, options: TransactionOptions): T {
    this.#control('PRAGMA synchronous = NORMAL')
    try {
      return this.transaction(work, options)
    } finally {
      this.#control('PRAGMA synchronous = FULL')
    }
  }

  /** Calls back once the surrounding transaction is on disk; at once when there is none; never after a rollback. */
  afterCommit(callback: () => void): void {
    if (this.#depth > 0) this.#afterCommit.push(callback)
    else this.#afterwards(callback)
  }

  /** Checkpoints and closes the file. */
  close(): void {
    if (!this.#sqlite.open) return
    this.#statements.clear()
    this.#sqlite.pragma('optimize')
    this.#sqlite.close()
  }

  /** What is committed is answered as such, whatever a listener makes of it. */
  #afterwards(callback: () => void): void {
    try {
      callback()
    } catch (error) {
      this.#log.error({ err: error }, 'something that follows a commit failed')
    }
  }

  #control(sql: string): void {
    try {
      this.#sqlite.exec(sql)
    } catch (error) {
      throw translateConstraint(error)
    }
  }

  /** Inside a transaction nothing is remembered, and its end counts as one change. */
  #changed(): void {
    if (this.#depth === 0) this.#generation++
  }

  #insist<T>(result: T): T {
    if (result instanceof Promise)
      throw new TypeError('A transaction must be synchronous; it returned a promise.')
    return result
  }

  #prepare(sql: string): Statement {
    let statement = this.#statements.get(sql)
    if (!statement) {
      const prepared: Statement = this.#sqlite.prepare<unknown[], unknown>(sql)
      prepared.decode = decoderOf(prepared)
      statement = prepared
      this.#statements.set(sql, statement)
    }
    return statement
  }

  #timed<T>(sql: string, run: (statement: Statement) => T): T {
    const statement = this.#prepare(sql)
    const start = performance.now()
    try {
      return run(statement)
    } catch (error) {
      throw translateConstraint(error)
    } finally {
      const ms = performance.now() - start
      if (ms > SLOW_MS) this.#log.warn({ sql, ms: Math.round(ms) }, 'slow query')
    }
  }
}

/** Runs `work` in one short, synchronous transaction of `db` (see `Database.transaction`). */
export function tx<T>(db: Database, work: () => T): T {
  return db.transaction(work)
}

/** A list as one JSON parameter for `json_each(?)`, so that its length does not make new SQL. */
export function jsonList(values: readonly (string | number)[]): string {
  return JSON.stringify(values)
}
