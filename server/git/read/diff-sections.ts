/** A section of a diff: first the raw lines, then one section per file. */
export interface DiffSection {
  readonly bytes: Buffer
  /** True when the section was longer than the kept bytes. */
  readonly truncated: boolean
  /** Lines added and removed in the bytes that were not kept. */
  readonly rest: LineCount
}

export interface LineCount {
  readonly additions: number
  readonly deletions: number
}

const LINE_FEED = 10
const PLUS = 43
const MINUS = 45
const BOUNDARY = Buffer.from('\ndiff --git ')

/**
 * Splits the output of `diff-tree --raw --patch` where files begin. Lines of hunks begin with a space, `+`, `-` or `\`,
 * and paths are quoted, so only such a beginning starts with `diff --git`. At most `keepBytes()` of each section are
 * held. Raw lines can be very many; with `onRaw` they go there, and their section is empty.
 */
export async function* diffSections(
  output: AsyncIterable<Buffer>,
  keepBytes: () => number,
  onRaw?: (bytes: Buffer) => void,
): AsyncGenerator<DiffSection> {
  let piece = new Piece(keepBytes(), onRaw)
  let tail: Buffer = Buffer.alloc(0)
  for await (const chunk of output) {
    const data = tail.length === 0 ? chunk : Buffer.concat([tail, chunk])
    let start = 0
    for (let at = data.indexOf(BOUNDARY); at !== -1; at = data.indexOf(BOUNDARY, start)) {
      piece.add(data.subarray(start, at + 1))
      yield piece.finish()
      piece = new Piece(keepBytes())
      start = at + 1
    }
    const end = Math.max(start, openEnd(data))
    piece.add(data.subarray(start, end))
    tail = data.subarray(end)
  }
  piece.add(tail)
  yield piece.finish()
}

/** Start of a boundary that the next bytes may complete; the end of the data when there is none. */
function openEnd(data: Buffer): number {
  const from = Math.max(0, data.length - BOUNDARY.length + 1)
  for (let at = data.indexOf(BOUNDARY[0]!, from); at !== -1; at = data.indexOf(BOUNDARY[0]!, at + 1)) {
    if (BOUNDARY.subarray(0, data.length - at).equals(data.subarray(at))) return at
  }
  return data.length
}

/** Counts the added and removed lines of hunks, from chunks of any size. */
export class LineCounter {
  additions = 0
  deletions = 0
  #isLineStart: boolean

  constructor(isLineStart = true) {
    this.#isLineStart = isLineStart
  }

  add(bytes: Buffer): void {
    for (let at = 0; at < bytes.length;) {
      if (this.#isLineStart && bytes[at] === PLUS) this.additions += 1
      else if (this.#isLineStart && bytes[at] === MINUS) this.deletions += 1
      const end = bytes.indexOf(LINE_FEED, at)
      this.#isLineStart = end !== -1
      at = end === -1 ? bytes.length : end + 1
    }
  }
}

class Piece {
  readonly #keepBytes: number
  readonly #chunks: Buffer[] = []
  readonly #onBytes: ((bytes: Buffer) => void) | undefined
  #size = 0
  #counter: LineCounter | undefined

  constructor(keepBytes: number, onBytes?: (bytes: Buffer) => void) {
    this.#keepBytes = keepBytes
    this.#onBytes = onBytes
  }

  add(bytes: Buffer): void {
    if (this.#onBytes) return this.#onBytes(bytes)
    const room = this.#keepBytes - this.#size
    if (room > 0 && bytes.length > 0) this.#chunks.push(bytes.subarray(0, room))
    this.#size += bytes.length
    if (this.#keepBytes > 0 && bytes.length > room) this.#count(bytes, Math.max(0, room))
  }

  finish(): DiffSection {
    const [first = Buffer.alloc(0), ...rest] = this.#chunks
    const bytes = rest.length === 0 ? first : Buffer.concat(this.#chunks)
    const { additions = 0, deletions = 0 } = this.#counter ?? {}
    return { bytes, truncated: this.#size > this.#keepBytes, rest: { additions, deletions } }
  }

  #count(bytes: Buffer, from: number): void {
    const last = from > 0 ? bytes[from - 1] : this.#chunks.at(-1)?.at(-1)
    this.#counter ??= new LineCounter(last === LINE_FEED)
    this.#counter.add(bytes.subarray(from))
  }
}
