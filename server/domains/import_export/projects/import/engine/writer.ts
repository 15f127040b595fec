import { performance } from 'node:perf_hooks'
import { setImmediate as nextTurn } from 'node:timers/promises'

import { UniqueViolation } from '../../../../../db/constraints.ts'
import { tx, type Database } from '../../../../../db/database.ts'
import { Failure } from '../../../../../lib/fail.ts'
import { deleteRow } from '../store.ts'
import type { Batch, ImportFailure, Statement } from './messages.ts'

/** Maximum duration of one transaction in milliseconds, so that other requests are not blocked. */
const SLICE_MS = 6
/** After a power failure the import starts again, so only the last transaction needs to reach the disk. */
const UNSYNCED = { unsynced: true }
/**
 * Number of operations between two checks of the clock. Operations with a text longer than `LONG_TEXT` also check it.
 */
const LOOK_EVERY = 4
const LONG_TEXT = 32 * 1024

/** A row of a record that is not complete yet. */
interface Written {
  readonly table: string
  readonly id: number
}

/**
 * Writes batches in short transactions. A record is written completely or not at all: rows of a failed record are
 * deleted, even if an earlier transaction wrote them.
 */
export class Writer {
  readonly #db: Database
  readonly #signal: AbortSignal | undefined
  readonly #statements: Statement[] = []
  /** The duration of the longest transaction so far in milliseconds, for the benchmark. */
  longest = 0

  constructor(db: Database, signal?: AbortSignal) {
    this.#db = db
    this.#signal = signal
  }

  /** Writes one batch and returns the records that the database rejects. Throws if the database is not writable. */
  async write(batch: Batch): Promise<ImportFailure[]> {
    this.#statements.push(...batch.statements)
    const failures: ImportFailure[] = []
    const total = batch.operations.length
    const position = new WritePosition(batch)
    while (position.at < total) {
      this.#signal?.throwIfAborted()
      const problem = this.#slice(batch, position)
      if (problem !== undefined) {
        failures.push({ ...batch.origins[position.record]!, ...wordsOf(problem) })
        await this.#undo(position.written)
        position.skipRecord()
      }
      await nextTurn()
    }
    return failures
  }

  /** Runs one transaction. Returns the error of a failed record, after it has written the records before it. */
  #slice(batch: Batch, position: WritePosition): unknown {
    const begun = performance.now()
    const start = position.copy()
    try {
      this.#db.transaction(
        () => this.#apply(batch, position, batch.operations.length, begun + SLICE_MS),
        UNSYNCED,
      )
      this.longest = Math.max(this.longest, performance.now() - begun)
      return undefined
    } catch (error) {
      if (!isAboutRecord(error)) throw error
      const { record } = position
      position.reset(start)
      // Everything was rolled back. The records before the one that failed are written again.
      if (record > start.record)
        this.#db.transaction(
          () => this.#apply(batch, position, position.beginningOf(record), Infinity),
          UNSYNCED,
        )
      return error
    }
  }

  #apply({ operations, values }: Batch, position: WritePosition, end: number, deadline: number): void {
    for (let count = 1; position.at < end; count++) {
      const statement = this.#statements[operations[position.at]!]!
      const row = values[position.at]!
      this.#db.exec(statement.sql, ...row)
      position.advance(
        statement.kind === 'insert' ? { table: statement.table, id: row[0] as number } : undefined,
      )
      const looks = count % LOOK_EVERY === 0 || row.some(isLong)
      if (looks && performance.now() > deadline) return
    }
  }

  /** Deletes the rows of an incomplete record, the newest first. */
  async #undo(written: readonly Written[]): Promise<void> {
    const rows = written.toReversed()
    for (let at = 0; at < rows.length; await nextTurn()) {
      const deadline = performance.now() + SLICE_MS
      tx(this.#db, () => {
        while (at < rows.length && performance.now() < deadline) {
          const { table, id } = rows[at++]!
          deleteRow(this.#db, table, id)
        }
      })
    }
  }
}

/** The position at the beginning of a transaction. */
interface TransactionStart extends Pick<WritePosition, 'at' | 'record' | 'written'> {
  /** The length of `written`. */
  readonly rows: number
}

/** The position in a batch: the next operation, its record, and the rows of that record that are written. */
class WritePosition {
  at = 0
  record = 0
  written: Written[] = []
  readonly #ends: readonly number[]

  constructor({ ends }: Pick<Batch, 'ends'>) {
    this.#ends = ends
  }

  copy(): TransactionStart {
    return { at: this.at, record: this.record, written: this.written, rows: this.written.length }
  }

  reset({ at, record, written, rows }: TransactionStart): void {
    this.at = at
    this.record = record
    this.written = written
    this.written.length = rows
  }

  beginningOf(record: number): number {
    return this.#ends[record - 1] ?? 0
  }

  advance(row: Written | undefined): void {
    this.at++
    if (this.at === this.#ends[this.record]) {
      this.record++
      this.written = []
    } else if (row) this.written.push(row)
  }

  skipRecord(): void {
    this.at = this.#ends[this.record]!
    this.record++
    this.written = []
  }
}

function isLong(value: unknown): boolean {
  return typeof value === 'string' && value.length > LONG_TEXT
}

/** True if the error is about one record; others can still be written. */
function isAboutRecord(error: unknown): boolean {
  if (error instanceof UniqueViolation || error instanceof TypeError || error instanceof RangeError)
    return true
  if (error instanceof Failure) return false
  const code = (error as { code?: unknown }).code
  return typeof code === 'string' && /^SQLITE_(CONSTRAINT|MISMATCH|TOOBIG|ERROR)/.test(code)
}

/** The failure of a record that the database refuses, in words that clients know from Ruby. */
function wordsOf(error: unknown): Pick<ImportFailure, 'exception_class' | 'exception_message'> {
  if (error instanceof UniqueViolation) {
    const names = error.columns.map((column) => column.replace(/^.*\./, '')).join(', ')
    return {
      exception_class: 'ActiveRecord::RecordNotUnique',
      exception_message: `A record with the same ${names} already exists`,
    }
  }
  const isForeign = (error as { code?: unknown }).code === 'SQLITE_CONSTRAINT_FOREIGNKEY'
  return isForeign
    ? {
        exception_class: 'ActiveRecord::InvalidForeignKey',
        exception_message: 'The record refers to a missing record',
      }
    : {
        exception_class: 'ActiveRecord::StatementInvalid',
        exception_message: 'A value of the record cannot be stored',
      }
}
