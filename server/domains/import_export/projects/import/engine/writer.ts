import { performance } from 'node:perf_hooks'
import { setImmediate as nextTurn } from 'node:timers/promises'

import { UniqueViolation } from '../../../../../db/constraints.ts'
import { tx, type Database } from '../../../../../db/database.ts'
import { Failure } from '../../../../../lib/fail.ts'
import { deleteRow } from '../store.ts'
import type { Batch, ImportFailure, Statement } from './messages.ts'

/** Maximum duration of one transaction in milliseconds, so that other requests are not blocked. */
const SLICE_MS = 6
/** Transactions are not synced to disk, because the import starts again after a power failure. */
const UNSYNCED = { unsynced: true }
/**
 * Number of operations between two checks of the clock. The clock is also checked after a text longer than `LONG_TEXT`.
 */
const CLOCK_INTERVAL = 4
const LONG_TEXT = 32 * 1024

/** A written row of a record that is not complete yet. */
interface WrittenRow {
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
    while (position.index < total) {
      this.#signal?.throwIfAborted()
      const problem = this.#slice(batch, position)
      if (problem !== undefined) {
        failures.push({ ...batch.origins[position.record]!, ...exceptionOf(problem) })
        await this.#undo(position.written)
        position.skipRecord()
      }
      await nextTurn()
    }
    return failures
  }

  /** Runs one transaction. If a record fails, writes the records before it and returns the error. */
  #slice(batch: Batch, position: WritePosition): unknown {
    const startedAt = performance.now()
    const start = position.copy()
    try {
      this.#db.transaction(
        () => this.#apply(batch, position, batch.operations.length, startedAt + SLICE_MS),
        UNSYNCED,
      )
      this.longest = Math.max(this.longest, performance.now() - startedAt)
      return undefined
    } catch (error) {
      if (!isRecordError(error)) throw error
      const { record } = position
      position.reset(start)
      // The transaction was rolled back. The records before the failed one are written again.
      if (record > start.record)
        this.#db.transaction(() => this.#apply(batch, position, position.startOf(record), Infinity), UNSYNCED)
      return error
    }
  }

  #apply({ operations, values }: Batch, position: WritePosition, end: number, deadline: number): void {
    for (let count = 1; position.index < end; count++) {
      const statement = this.#statements[operations[position.index]!]!
      const row = values[position.index]!
      this.#db.exec(statement.sql, ...row)
      position.advance(
        statement.kind === 'insert' ? { table: statement.table, id: row[0] as number } : undefined,
      )
      const checksClock = count % CLOCK_INTERVAL === 0 || row.some(isLong)
      if (checksClock && performance.now() > deadline) return
    }
  }

  /** Deletes the rows of an incomplete record, the newest first. */
  async #undo(written: readonly WrittenRow[]): Promise<void> {
    const rows = written.toReversed()
    for (let index = 0; index < rows.length; await nextTurn()) {
      const deadline = performance.now() + SLICE_MS
      tx(this.#db, () => {
        while (index < rows.length && performance.now() < deadline) {
          const { table, id } = rows[index++]!
          deleteRow(this.#db, table, id)
        }
      })
    }
  }
}

/** The position at the beginning of a transaction. */
interface TransactionStart extends Pick<WritePosition, 'index' | 'record' | 'written'> {
  /** The length of `written`. */
  readonly rows: number
}

/** The position in a batch: the next operation, its record, and the rows of that record that are written. */
class WritePosition {
  index = 0
  record = 0
  written: WrittenRow[] = []
  readonly #ends: readonly number[]

  constructor({ ends }: Pick<Batch, 'ends'>) {
    this.#ends = ends
  }

  copy(): TransactionStart {
    return { index: this.index, record: this.record, written: this.written, rows: this.written.length }
  }

  reset({ index, record, written, rows }: TransactionStart): void {
    this.index = index
    this.record = record
    this.written = written
    this.written.length = rows
  }

  startOf(record: number): number {
    return this.#ends[record - 1] ?? 0
  }

  advance(row: WrittenRow | undefined): void {
    this.index++
    if (this.index === this.#ends[this.record]) {
      this.record++
      this.written = []
    } else if (row) this.written.push(row)
  }

  skipRecord(): void {
    this.index = this.#ends[this.record]!
    this.record++
    this.written = []
  }
}

function isLong(value: unknown): boolean {
  return typeof value === 'string' && value.length > LONG_TEXT
}

/** Whether an error concerns only one record, so that others can still be written. */
function isRecordError(error: unknown): boolean {
  if (error instanceof UniqueViolation || error instanceof TypeError || error instanceof RangeError)
    return true
  if (error instanceof Failure) return false
  const code = (error as { code?: unknown }).code
  return typeof code === 'string' && /^SQLITE_(CONSTRAINT|MISMATCH|TOOBIG|ERROR)/.test(code)
}

/** The failure of a record that the database rejects, with the exception classes that clients know from GitLab. */
function exceptionOf(error: unknown): Pick<ImportFailure, 'exception_class' | 'exception_message'> {
  if (error instanceof UniqueViolation) {
    const names = error.columns.map((column) => column.replace(/^.*\./, '')).join(', ')
    return {
      exception_class: 'ActiveRecord::RecordNotUnique',
      exception_message: `A record with the same ${names} already exists`,
    }
  }
  const isForeignKey = (error as { code?: unknown }).code === 'SQLITE_CONSTRAINT_FOREIGNKEY'
  return isForeignKey
    ? {
        exception_class: 'ActiveRecord::InvalidForeignKey',
        exception_message: 'The record refers to a missing record',
      }
    : {
        exception_class: 'ActiveRecord::StatementInvalid',
        exception_message: 'A value of the record cannot be stored',
      }
}
