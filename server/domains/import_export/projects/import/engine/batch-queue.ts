import type { Value } from '../../../relations/relation.ts'
import type { Batch, ImportFailure, Origin, Statement } from './messages.ts'

/** Sizes at which a batch is full. */
const MAX_OPERATIONS = 2000
const MAX_CHARACTERS = 1024 * 1024

type Mutable<List> = List extends readonly (infer Element)[] ? Element[] : never

interface Draft {
  statements: Statement[]
  operations: number[]
  values: Mutable<Batch['values']>
  ends: number[]
  origins: Origin[]
  failures: ImportFailure[]
}

const emptyDraft = (): Draft => ({
  statements: [],
  operations: [],
  values: [],
  ends: [],
  origins: [],
  failures: [],
})

/** The queue of rows that the main thread writes. */
export class BatchQueue {
  readonly #numbers = new Map<string, number>()
  #draft = emptyDraft()
  #characters = 0

  /** Queues an operation of the current record. Calls `statement` if `key` is new. */
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

  /** Ends a record. Returns false if it has no operations. */
  end(origin: Origin): boolean {
    const { operations, ends, origins } = this.#draft
    if (operations.length === (ends.at(-1) ?? 0)) return false
    ends.push(operations.length)
    origins.push(origin)
    return true
  }

  /** Drops the operations of the current record. */
  discard(): void {
    const { operations, values, ends } = this.#draft
    operations.length = values.length = ends.at(-1) ?? 0
  }

  /** Queues the operations of `work` before those of the current record. */
  before(origin: Origin, work: () => void): void {
    const { operations, values, ends } = this.#draft
    const start = ends.at(-1) ?? 0
    const recordOperations = { operations: operations.splice(start), values: values.splice(start) }
    work()
    this.end(origin)
    operations.push(...recordOperations.operations)
    values.push(...recordOperations.values)
  }

  fail(failure: ImportFailure): void {
    this.#draft.failures.push(failure)
  }

  get isFull(): boolean {
    const { operations, failures } = this.#draft
    return (
      operations.length >= MAX_OPERATIONS ||
      this.#characters >= MAX_CHARACTERS ||
      failures.length >= MAX_OPERATIONS
    )
  }

  /** Removes the queued batch and returns it; undefined if nothing is queued. */
  takeBatch(): Batch | undefined {
    const { ends, failures, statements } = this.#draft
    if (ends.length === 0 && failures.length === 0 && statements.length === 0) return undefined
    const batch: Batch = { ...this.#draft }
    this.#draft = emptyDraft()
    this.#characters = 0
    return batch
  }
}
