import type { Value } from '../../../relations/relation.ts'
import type { Batch, ImportFailure, Origin, Statement } from './messages.ts'

/** Limits of a batch: number of operations and characters. */
const FULL_OPERATIONS = 2000
const FULL_CHARACTERS = 1024 * 1024

type Open<List> = List extends readonly (infer One)[] ? One[] : never

interface Draft {
  statements: Statement[]
  operations: number[]
  values: Open<Batch['values']>
  ends: number[]
  origins: Origin[]
  failures: ImportFailure[]
}

const empty = (): Draft => ({
  statements: [],
  operations: [],
  values: [],
  ends: [],
  origins: [],
  failures: [],
})

/** The queue of rows for the main thread. */
export class Outgoing {
  readonly #numbers = new Map<string, number>()
  #draft = empty()
  #characters = 0

  /** Queues an operation of the present record. Calls `statement` where `key` is new. */
  add(key: string, statement: () => Statement, values: readonly Value[]): void {
    let number = this.#numbers.get(key)
    if (number === undefined) {
      number = this.#numbers.size
      this.#numbers.set(key, number)
      this.#draft.statements.push(statement())
    }
    this.#draft.operations.push(number)
    this.#draft.values.push(values)
    for (const value of values) this.#characters += typeof value === 'string' ? value.length : 8
  }

  /** Ends a record. False if it has no operations. */
  end(origin: Origin): boolean {
    const { operations, ends, origins } = this.#draft
    if (operations.length === (ends.at(-1) ?? 0)) return false
    ends.push(operations.length)
    origins.push(origin)
    return true
  }

  /** Drops the operations of the present record. */
  discard(): void {
    const { operations, values, ends } = this.#draft
    operations.length = values.length = ends.at(-1) ?? 0
  }

  /** Queues the operations of `work` before those of the present record. */
  before(origin: Origin, work: () => void): void {
    const { operations, values, ends } = this.#draft
    const from = ends.at(-1) ?? 0
    const kept = { operations: operations.splice(from), values: values.splice(from) }
    work()
    this.end(origin)
    operations.push(...kept.operations)
    values.push(...kept.values)
  }

  fail(failure: ImportFailure): void {
    this.#draft.failures.push(failure)
  }

  get isFull(): boolean {
    const { operations, failures } = this.#draft
    return (
      operations.length >= FULL_OPERATIONS ||
      this.#characters >= FULL_CHARACTERS ||
      failures.length >= FULL_OPERATIONS
    )
  }

  /** The queued batch; undefined if nothing is queued. */
  take(): Batch | undefined {
    const { ends, failures, statements } = this.#draft
    if (ends.length === 0 && failures.length === 0 && statements.length === 0) return undefined
    const batch: Batch = { ...this.#draft }
    this.#draft = empty()
    this.#characters = 0
    return batch
  }
}
