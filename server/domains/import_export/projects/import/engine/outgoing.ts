import type { Batch, ImportFailure, Origin, Statement, Value } from './messages.ts'

/** A batch is sent once it has so many operations, or so many characters. */
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

/** Rows of records in line for the main thread. */
export class Outgoing {
  readonly #numbers = new Map<string, number>()
  #draft = empty()
  #characters = 0

  /** Puts an operation of the present record in line. `sql` is made where the statement is not known yet. */
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

  /** Everything since the last end is one record. False where that is nothing. */
  end(origin: Origin): boolean {
    const { operations, ends, origins } = this.#draft
    if (operations.length === (ends.at(-1) ?? 0)) return false
    ends.push(operations.length)
    origins.push(origin)
    return true
  }

  /** Takes back everything since the last end, or since a mark. */
  discard(): void {
    const { operations, values, ends } = this.#draft
    operations.length = values.length = ends.at(-1) ?? 0
  }

  /** Puts what is in line since the last end aside: something else is to be written before it. */
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

  /** What is in line; undefined where nothing is. */
  take(): Batch | undefined {
    const { ends, failures, statements } = this.#draft
    if (ends.length === 0 && failures.length === 0 && statements.length === 0) return undefined
    const batch: Batch = { kind: 'batch', ...this.#draft }
    this.#draft = empty()
    this.#characters = 0
    return batch
  }
}
