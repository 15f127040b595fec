import { performance } from 'node:perf_hooks'
import { setImmediate as nextTurn } from 'node:timers/promises'

import { UniqueViolation } from '../../../../../db/constraints.ts'
import { tx, type Database } from '../../../../../db/database.ts'
import { Failure } from '../../../../../lib/fail.ts'
import type { Batch, ImportFailure, Statement } from './messages.ts'

/** How long one transaction may write before everybody else has a turn, milliseconds. */
const SLICE_MS = 6
/** What a power cut takes is written again: the import begins anew. Its end waits for the disk. */
const HURRIED = { unsynced: true }
/** The clock is looked at after so many operations, and after each one with a longer text than this: it is searched through, too. */
const LOOK_EVERY = 4
const LONG_TEXT = 32 * 1024

/** A row of a record that is not complete yet, by which it can be taken back. */
interface Written {
  readonly table: string
  readonly id: number
}

/**
 * Writes batches in short transactions. All rows of a record are written, or none: one that fails is undone, what an
 * earlier transaction wrote of it, too.
 */
export class Writer {
  readonly #db: Database
  readonly #signal: AbortSignal | undefined
  readonly #statements: Statement[] = []
  /** Longest transaction so far, milliseconds; for the bench. */
  longest = 0

  constructor(db: Database, signal?: AbortSignal) {
    this.#db = db
    this.#signal = signal
  }

  /** Writes one batch; gives what could not be written. Throws when the database cannot be written at all. */
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
        await this.#takeBack(position.written)
        position.skipRecord()
      }
      await nextTurn()
    }
    return failures
  }

  /** One transaction. Gives what is wrong with the record at the place, after what stands before it was written. */
  #slice(batch: Batch, position: WritePosition): unknown {
    const begun = performance.now()
    const start = position.copy()
    try {
      this.#db.transaction(
        () => this.#apply(batch, position, batch.operations.length, begun + SLICE_MS),
        HURRIED,
      )
      this.longest = Math.max(this.longest, performance.now() - begun)
      return undefined
    } catch (error) {
      if (!isAboutRecord(error)) throw error
      const { record } = position
      position.reset(start)
      // Everything was rolled back. What does not belong to the record that failed is good, and written again.
      if (record > start.record)
        this.#db.transaction(
          () => this.#apply(batch, position, position.beginningOf(record), Infinity),
          HURRIED,
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

  /** Removes rows of a record that was cut off in the middle, the newest first. */
  async #takeBack(written: readonly Written[]): Promise<void> {
    const rows = written.toReversed()
    for (let at = 0; at < rows.length; await nextTurn()) {
      const deadline = performance.now() + SLICE_MS
      tx(this.#db, () => {
        while (at < rows.length && performance.now() < deadline) {
          const { table, id } = rows[at++]!
          this.#db.exec(`DELETE FROM ${table} WHERE id = ?`, id)
        }
      })
    }
  }
}

/** Where a transaction began. */
interface Beginning extends Pick<WritePosition, 'at' | 'record' | 'written'> {
  /** How many rows of `written` were there. */
  readonly rows: number
}

/** How far a batch is written: the next operation, the record that it belongs to, and what of that is there already. */
class WritePosition {
  at = 0
  record = 0
  written: Written[] = []
  readonly #ends: readonly number[]

  constructor({ ends }: Pick<Batch, 'ends'>) {
    this.#ends = ends
  }

  copy(): Beginning {
    return { at: this.at, record: this.record, written: this.written, rows: this.written.length }
  }

  reset({ at, record, written, rows }: Beginning): void {
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

/** Whether another record could still be written: the database as a whole is well. */
function isAboutRecord(error: unknown): boolean {
  if (error instanceof UniqueViolation || error instanceof TypeError || error instanceof RangeError)
    return true
  if (error instanceof Failure) return false
  const code = (error as { code?: unknown }).code
  return typeof code === 'string' && /^SQLITE_(CONSTRAINT|MISMATCH|TOOBIG|ERROR)/.test(code)
}

/** What is said of a record that the database refuses, in the words that clients of this API family know. */
function wordsOf(error: unknown): Pick<ImportFailure, 'exception_class' | 'exception_message'> {
  if (error instanceof UniqueViolation) {
    const names = error.columns.map((column) => column.replace(/^.*\./, '')).join(', ')
    return {
      exception_class: 'ActiveRecord::RecordNotUnique',
      exception_message: `Something with the same ${names} exists already`,
    }
  }
  const isForeign = (error as { code?: unknown }).code === 'SQLITE_CONSTRAINT_FOREIGNKEY'
  return isForeign
    ? {
        exception_class: 'ActiveRecord::InvalidForeignKey',
        exception_message: 'The record refers to something that is not there',
      }
    : {
        exception_class: 'ActiveRecord::StatementInvalid',
        exception_message: 'A value of the record cannot be stored',
      }
}
