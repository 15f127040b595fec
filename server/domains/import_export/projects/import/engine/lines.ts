import { createReadStream } from 'node:fs'

import type { Report } from './messages.ts'

const FIRST_BLOCK = 16
const LARGEST_BLOCK = 4096

/**
 * Ids for new rows. The thread reserves growing blocks. The main thread answers through shared memory, so the thread
 * gets its ids synchronously.
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
export function createAnswers(): SharedArrayBuffer {
  return new SharedArrayBuffer(16)
}

/** Answers with the first of the reserved ids; the thread continues. */
export function answerWith(answers: SharedArrayBuffer, first: number): void {
  new Float64Array(answers, 8, 1)[0] = first
  const flag = new Int32Array(answers, 0, 1)
  Atomics.store(flag, 0, 1)
  Atomics.notify(flag, 0)
}

/** The maximum length of a line in bytes: a merge request with all its notes and differences is one line. */
export const MAX_LINE = 64 * 1024 * 1024

/** A line of a file: its number (from 1) and its text, null if it is too long. */
export interface Line {
  readonly number: number
  readonly text: string | null
}

const NEWLINE = 10

/** The lines of a file, piece by piece. Holds at most a line and a piece. */
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
  for await (const piece of createReadStream(file, { highWaterMark: 256 * 1024 }) as AsyncIterable<Buffer>) {
    const lines: Line[] = []
    let from = 0
    for (let end = piece.indexOf(NEWLINE); end >= 0; end = piece.indexOf(NEWLINE, from)) {
      lines.push(lineOf(piece.subarray(from, end)))
      from = end + 1
    }
    const rest = piece.subarray(from)
    size += rest.length
    // A line that is too long is not kept.
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
  for await (const piece of createReadStream(file, { highWaterMark: 256 * 1024 }) as AsyncIterable<Buffer>) {
    for (let at = piece.indexOf(NEWLINE); at >= 0; at = piece.indexOf(NEWLINE, at + 1)) count++
    last = piece[piece.length - 1] ?? NEWLINE
  }
  return last === NEWLINE ? count : count + 1
}
