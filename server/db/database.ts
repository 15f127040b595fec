import type BetterSqlite3 from 'better-sqlite3'
import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely'
import type { Compilable, CompiledQuery } from 'kysely'
import { LRUCache } from 'lru-cache'
import { performance } from 'node:perf_hooks'

import type { Logger } from '../lib/log.ts'
import { Observation } from '../observer.ts'
import { Changes, ValueCache, type ReadWatch } from './changes.ts'
import { CommitSync, type WriteAheadLog } from './commit-sync.ts'
import { translateConstraint } from './constraints.ts'
import { bind, hideParameters, valueColumns, type ValueColumn } from './bind.ts'
import { copyDatabase } from './other-connections.ts'
import { decoderOf } from './decode.ts'
import { InstanceValues } from './instance-values.ts'
import type { Schema } from './schema.gen.ts'
import { RowChanges } from './row-changes.ts'
import {
  StatementTables,
  TOUCHES_EVERY,
  type Statement,
  type Tables,
  type Touched,
} from './statement-tables.ts'

/** Options of `Database.transaction`, which describes them. */
interface TransactionOptions {
  readonly unsynced?: boolean
  readonly unnoticed?: boolean
}

/** Queries that take more milliseconds than this are logged with their SQL. */
const SLOW_MS = 20
/** The number of prepared statements that are cached. */
const STATEMENT_CACHE = 500

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

/**
 * The only connection that writes. Everything is synchronous: a transaction is a plain function, and all its queries
 * belong to it, so no transaction handle is passed on.
 */
export class Database {
  /** The observer of the instance, which receives every statement; null if there is none. */
  readonly observation = new Observation()
  #sqlite: BetterSqlite3.Database
  readonly #reopen: (() => BetterSqlite3.Database) | undefined
  readonly #logger: Logger
  readonly #statements = new LRUCache<string, Statement>({ max: STATEMENT_CACHE })
  readonly #values = new InstanceValues()
  readonly #changes = new Changes()
  readonly #cache = new ValueCache(this.#changes)
  #tables: StatementTables
  #rows: RowChanges
  #valueColumns: readonly ValueColumn[]
  #depth = 0
  #afterCommit: (() => void)[] = []
  readonly #log: WriteAheadLog | undefined
  readonly #commits: CommitSync | undefined

  /**
   * @param log the write-ahead log to sync; without one nobody waits for the disk (temporary instances)
   * @param reopen opens the same file again, after its content was replaced
   */
  constructor(
    sqlite: BetterSqlite3.Database,
    logger: Logger,
    log?: WriteAheadLog,
    reopen?: () => BetterSqlite3.Database,
  ) {
    this.#sqlite = sqlite
    this.#reopen = reopen
    this.#logger = logger
    this.#tables = new StatementTables(sqlite)
    this.#rows = new RowChanges(sqlite)
    this.#valueColumns = valueColumns(sqlite)
    this.#log = log
    this.#commits = log && new CommitSync(log.sync)
  }

  /**
   * Resolves when all commits so far are on disk; undefined when they already are. Every answer to a writing request,
   * every move of a ref and every removal of files waits for this; one sync serves all waiting callers. Rejects with a
   * Failure (507) when the sync fails.
   */
  stored(): Promise<void> | undefined {
    return this.#commits?.stored()
  }

  /**
   * The value of a key, which the first call creates and which exists as long as the instance runs. Keys have the form
   * `<domain>.<name>`. Use it for state that is not needed after a restart: counts, caches, running work. Pass
   * `dependsOnRows` for a value that depends on the rows; it is dropped when a snapshot replaces them.
   */
  instance<T>(key: string, make: () => T, options: { dependsOnRows?: boolean } = {}): T {
    return this.#values.of(key, make, options.dependsOnRows ?? false)
  }

  /** True when writes are synced to the disk; false for temporary instances. */
  get waitsForDisk(): boolean {
    return this.#log !== undefined
  }

  /** The path of the file. */
  get file(): string {
    return this.#sqlite.name
  }

  /** True when no other connection can read the file; see `readableFile`. */
  get excludesOthers(): boolean {
    return this.#sqlite.pragma('locking_mode', { simple: true }) === 'exclusive'
  }

  /** Writes the current content of the whole database into a new file. */
  copyTo(file: string): void {
    // No other program has a reason to open the database of a temporary instance.
    copyDatabase(this.#sqlite, file, this.waitsForDisk)
  }

  /**
   * Closes the file, calls `replace` with its path, and opens it again. Drops all values that were cached from the rows.
   * Call it while nothing else uses the database.
   */
  replaceFile(replace: (file: string) => void): void {
    if (!this.#reopen || this.#depth > 0) throw new Error('The database cannot be replaced now.')
    const { name } = this.#sqlite
    this.#statements.clear()
    this.#sqlite.close()
    this.#log?.forget()
    try {
      replace(name)
    } finally {
      this.#sqlite = this.#reopen()
      this.#tables = new StatementTables(this.#sqlite)
      this.#rows = new RowChanges(this.#sqlite)
      this.#valueColumns = valueColumns(this.#sqlite)
      this.#cache.clear()
      this.#values.forgetContent()
      this.#changes.changed('every')
      this.#changes.count()
    }
  }

  /** True when the database answers a query. */
  answers(): boolean {
    return this.one('SELECT 1') !== undefined
  }

  /** A number that grows with every change. As long as it stays the same, so does the content. */
  get generation(): number {
    return this.#changes.generation
  }

  /** Records which tables are read, until the caller ends the recording. */
  watchReads(): ReadWatch {
    return this.#changes.watch()
  }

  /** True when none of the tables changed since a generation. */
  isUnchanged(tables: Tables, since: number): boolean {
    return this.#changes.isUnchanged(tables, since)
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

  /** Runs a built write without `returning`; returns the number of changed rows and the last rowid. */
  run(query: Compilable<unknown>): { changes: number; id: number } {
    const compiled: CompiledQuery = query.compile()
    return this.exec(compiled.sql, ...compiled.parameters)
  }

  /** The first row of hand-written SQL (hot paths). Parameters are positional. */
  one<T>(sql: string, ...parameters: readonly unknown[]): T | undefined {
    return this.#timed(sql, (statement) => {
      const row = statement.get(...parameters.map(bind)) as T | undefined
      if (row !== undefined) statement.decode?.(row as Record<string, unknown>)
      this.#touch(statement, parameters, row !== undefined)
      return row
    })
  }

  /** All rows of hand-written SQL. */
  many<T>(sql: string, ...parameters: readonly unknown[]): T[] {
    return this.#timed(sql, (statement) => {
      const rows = statement.all(...parameters.map(bind)) as T[]
      const { decode } = statement
      if (decode) for (const row of rows) decode(row as Record<string, unknown>)
      this.#touch(statement, parameters, rows.length > 0)
      return rows
    })
  }

  /** Runs a hand-written write. Returns the number of changed rows and the last rowid. */
  exec(sql: string, ...parameters: readonly unknown[]): { changes: number; id: number } {
    return this.#timed(sql, (statement) => {
      const { changes, lastInsertRowid } = statement.run(...parameters.map(bind))
      this.#touch(statement, parameters, changes > 0)
      return { changes, id: Number(lastInsertRowid) }
    })
  }

  /**
   * A value computed from the database, cached until the next write. `key` names the computation and its inputs. Only
   * this connection writes, so the value is never stale. Inside a transaction it is always computed.
   */
  remember<T>(key: string, compute: () => T): T {
    return this.#depth > 0 ? compute() : this.#cache.of(key, compute, 'next_write')
  }

  /**
   * Like `remember`, for a value that depends only on the key and on rows that `compute` reads itself. The value is
   * cached until one of these tables changes. If it also depends on a row that the caller read before, the key must
   * contain the columns of that row that `compute` uses.
   */
  rememberRows<T>(key: string, compute: () => T): T {
    return this.#depth > 0 ? compute() : this.#cache.of(key, compute, 'tables_change')
  }

  /**
   * Runs `work` in one IMMEDIATE transaction; a nested call joins the outer one. `work` must be synchronous: returning
   * a promise throws and rolls back. A commit does not wait for the disk, see `stored`. With `unsynced`, `stored` does
   * not wait for this commit, and a power cut may undo it. `unnoticed` keeps all cached values; pass it when none of
   * them depends on the change.
   */
  transaction<T>(work: () => T, options: TransactionOptions = {}): T {
    const { unsynced = false, unnoticed = false } = options
    if (this.#depth > 0) return this.#checkSync(work())
    this.#control('BEGIN IMMEDIATE')
    this.#depth = 1
    let result: T
    try {
      result = this.#checkSync(work())
      this.#control('COMMIT')
      if (!unsynced) this.#commits?.committed()
    } catch (error) {
      this.#afterCommit = []
      if (this.#sqlite.inTransaction) this.#control('ROLLBACK')
      throw error
    } finally {
      this.#depth = 0
      if (unnoticed) this.#changes.forget()
      else this.#changes.count()
    }
    const callbacks = this.#afterCommit
    this.#afterCommit = []
    for (const callback of callbacks) this.#afterwards(callback)
    return result
  }

  /** Calls back after the commit of the current transaction, but never after a rollback; without one, immediately. */
  afterCommit(callback: () => void): void {
    if (this.#depth > 0) this.#afterCommit.push(callback)
    else this.#afterwards(callback)
  }

  /** Checkpoints and closes the file. */
  close(): void {
    if (!this.#sqlite.open) return
    this.#statements.clear()
    try {
      this.#sqlite.pragma('optimize')
    } catch (error) {
      // On a full disk, SQLite keeps the old statistics.
      this.#logger.warn({ err: error }, 'the statistics of the database could not be stored')
    }
    this.#sqlite.close()
    this.#log?.close()
  }

  /** An error in a callback does not change the answer, because the data is committed. */
  #afterwards(callback: () => void): void {
    try {
      callback()
    } catch (error) {
      this.#logger.error({ err: error }, 'a callback after a commit failed')
    }
  }

  #control(sql: string): void {
    const start = performance.now()
    try {
      this.#prepare(sql).run()
    } catch (error) {
      throw translateConstraint(error)
    } finally {
      this.observation.observer?.statement(sql, start, performance.now() - start)
    }
  }

  /** Records which tables and rows a statement read and changed. A transaction counts as one change, at its end. */
  #touch(statement: Statement, parameters: readonly unknown[], hasChanged: boolean): void {
    const isChange = hasChanged && !statement.readonly
    if (!isChange && !this.#changes.isWatching) return
    const { reads, writes, rowOf } = this.#touchedBy(statement, parameters.length)
    const [id] = parameters
    if (rowOf !== undefined && typeof id === 'number') this.#changes.readRow(rowOf, id)
    else this.#changes.read(reads)
    if (!isChange) return
    this.#changes.changed(this.#rows.take(writes))
    if (this.#depth > 0) return
    this.#changes.count()
    this.#commits?.committed()
  }

  /** Finds the tables of a statement when it runs for the second time; many run only once, and `EXPLAIN` takes time. */
  #touchedBy(statement: Statement, parameters: number): Touched {
    if (statement.touched) return statement.touched
    if (!statement.isRepeated) {
      statement.isRepeated = true
      return TOUCHES_EVERY
    }
    return (statement.touched = this.#tables.of(statement.sql, parameters))
  }

  #checkSync<T>(result: T): T {
    if (result instanceof Promise)
      throw new TypeError('A transaction must be synchronous; it returned a promise.')
    return result
  }

  #prepare(sql: string): Statement {
    const cached = this.#statements.get(sql)
    if (cached) return cached
    const prepared = this.#sqlite.prepare<unknown[], unknown>(hideParameters(sql, this.#valueColumns))
    const statement: Statement = Object.assign(prepared, { decode: decoderOf(prepared), sql })
    this.#statements.set(sql, statement)
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
      this.observation.observer?.statement(sql, start, ms)
      if (ms > SLOW_MS) this.#logger.warn({ sql, ms: Math.round(ms) }, 'slow query')
    }
  }
}

/** Runs `work` in one short, synchronous transaction of `db` (see `Database.transaction`). */
export function tx<T>(db: Database, work: () => T): T {
  return db.transaction(work)
}

/** A list as one JSON parameter for `json_each(?)`, so that the SQL is the same for every length. */
export function jsonList(values: readonly (string | number)[]): string {
  return JSON.stringify(values)
}
