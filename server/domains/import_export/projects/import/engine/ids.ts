import type { Report } from './messages.ts'

const FIRST_BLOCK = 16
const LARGEST_BLOCK = 4096

/**
 * Ids for new rows. The thread reserves growing blocks. The main thread answers through shared memory, so the thread gets its
 * ids synchronously.
 */
export class Ids {
  readonly #say: (report: Report) => void
  readonly #flag: Int32Array
  readonly #answer: Float64Array
  readonly #blocks = new Map<string, { next: number; end: number; size: number }>()

  constructor(answers: SharedArrayBuffer, say: (report: Report) => void) {
    this.#say = say
    this.#flag = new Int32Array(answers, 0, 1)
    this.#answer = new Float64Array(answers, 8, 1)
  }

  /** The next free id of a table. */
  next(table: string): number {
    const block = this.#blocks.get(table)
    if (block && block.next < block.end) return block.next++
    const size = Math.min((block?.size ?? FIRST_BLOCK / 4) * 4, LARGEST_BLOCK)
    const first = this.#ask(table, size)
    this.#blocks.set(table, { next: first + 1, end: first + size, size })
    return first
  }

  #ask(table: string, count: number): number {
    this.#say({ kind: 'ids', table, count })
    Atomics.wait(this.#flag, 0, 0)
    Atomics.store(this.#flag, 0, 0)
    return this.#answer[0]!
  }
}

/** The shared memory of the answers. */
export function answerRoom(): SharedArrayBuffer {
  return new SharedArrayBuffer(16)
}

/** Answers with the first of the reserved ids; the thread continues. */
export function answerWith(answers: SharedArrayBuffer, first: number): void {
  new Float64Array(answers, 8, 1)[0] = first
  const flag = new Int32Array(answers, 0, 1)
  Atomics.store(flag, 0, 1)
  Atomics.notify(flag, 0)
}
