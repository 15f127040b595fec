import { createReadStream } from 'node:fs'

import type { Report } from './messages.ts'

const MIN_BLOCK = 16
const MAX_BLOCK = 4096

/**
 * Allocates IDs for new rows. It reserves growing blocks. The main thread answers through shared memory, so that the
 * import thread gets IDs synchronously.
 */
export class IdAllocator {
  readonly #report: (report: Report) => void
  readonly #flag: Int32Array
  readonly #answer: Float64Array
  readonly #blocks = new Map<string, { next: number; end: number; size: number }>()

  constructor(answers: SharedArrayBuffer, report: (report: Report) => void) {
    this.#report = report
    this.#flag = new Int32Array(answers, 0, 1)
    this.#answer = new Float64Array(answers, 8, 1)
  }

  /** Returns the next unused ID of a table. */
  next(table: string): number {
    const block = this.#blocks.get(table)
    if (block && block.next < block.end) return block.next++
    const size = Math.min((block?.size ?? MIN_BLOCK / 4) * 4, MAX_BLOCK)
    const first = this.#reserve(table, size)
    this.#blocks.set(table, { next: first + 1, end: first + size, size })
    return first
  }

  #reserve(table: string, count: number): number {
    this.#report({ kind: 'ids', table, count })
    Atomics.wait(this.#flag, 0, 0)
    Atomics.store(this.#flag, 0, 0)
    return this.#answer[0]!
  }
}

/** Creates the shared memory for the answers. */
export function createAnswerBuffer(): SharedArrayBuffer {
  return new SharedArrayBuffer(16)
}

/** Answers a request of the thread with the first of the reserved IDs. */
export function answerWith(answers: SharedArrayBuffer, first: number): void {
  new Float64Array(answers, 8, 1)[0] = first
  const flag = new Int32Array(answers, 0, 1)
  Atomics.store(flag, 0, 1)
  Atomics.notify(flag, 0)
}

/** The maximum length of a line in bytes. A merge request with all its notes and diffs is one line. */
export const MAX_LINE = 64 * 1024 * 1024

/** A line of a file: its number (from 1) and its text, null if it is too long. */
export interface Line {
  readonly number: number
  readonly text: string | null
}

const NEWLINE = 10

/** The lines of a file, in groups. Keeps at most one line and one chunk in memory. */
export async function* linesOf(file: string): AsyncGenerator<Line[]> {
  let chunks: Buffer[] = []
  let size = 0
  let number = 0
  const lineOf = (rest: Buffer): Line => {
    const length = size + rest.length
    const bytes = chunks.length === 0 ? rest : Buffer.concat([...chunks, rest])
    chunks = []
    size = 0
    return { number: ++number, text: length > MAX_LINE ? null : bytes.toString('utf8') }
  }
  for await (const chunk of createReadStream(file, { highWaterMark: 256 * 1024 }) as AsyncIterable<Buffer>) {
    const lines: Line[] = []
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      lines.push(lineOf(chunk.subarray(start, end)))
      start = end + 1
    }
    const rest = chunk.subarray(start)
    size += rest.length
    // The content of a line that is too long is dropped.
    if (size <= MAX_LINE) chunks.push(rest)
    else chunks = []
    if (lines.length > 0) yield lines
  }
  if (size > 0) yield [lineOf(Buffer.alloc(0))]
}

/** The number of lines of a file. */
export async function countLines(file: string): Promise<number> {
  let count = 0
  let last = NEWLINE
  for await (const chunk of createReadStream(file, { highWaterMark: 256 * 1024 }) as AsyncIterable<Buffer>) {
    for (let index = chunk.indexOf(NEWLINE); index >= 0; index = chunk.indexOf(NEWLINE, index + 1)) count++
    last = chunk[chunk.length - 1] ?? NEWLINE
  }
  return last === NEWLINE ? count : count + 1
}
