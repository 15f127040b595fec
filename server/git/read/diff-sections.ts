/** A section of a diff. The first section contains the raw lines; each of the others is about one file. */
export interface DiffSection {
  readonly bytes: Buffer
  /** True when the section was longer than its limit. */
  readonly truncated: boolean
  /** The numbers of added and removed lines beyond the limit. */
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
 * Splits the output of `diff-tree --raw --patch` into sections. Each file begins with a line `diff --git`. No other line
 * begins like this, because lines of hunks begin with a space, `+`, `-` or `\`, and paths are quoted. Of each section, at
 * most `maxBytes()` are held in memory. Raw lines can be very many: with `onRaw` they are passed there, and their section
 * is empty.
 */
export async function* diffSections(
  output: AsyncIterable<Buffer>,
  maxBytes: () => number,
  onRaw?: (bytes: Buffer) => void,
): AsyncGenerator<DiffSection> {
  let builder = new SectionBuilder(maxBytes(), onRaw)
  let tail: Buffer = Buffer.alloc(0)
  for await (const chunk of output) {
    const data = tail.length === 0 ? chunk : Buffer.concat([tail, chunk])
    let start = 0
    for (let at = data.indexOf(BOUNDARY); at !== -1; at = data.indexOf(BOUNDARY, start)) {
      builder.add(data.subarray(start, at + 1))
      yield builder.finish()
      builder = new SectionBuilder(maxBytes())
      start = at + 1
    }
    const end = Math.max(start, incompleteBoundary(data))
    builder.add(data.subarray(start, end))
    tail = data.subarray(end)
  }
  builder.add(tail)
  yield builder.finish()
}

/** The index of an incomplete boundary at the end of the data; the length of the data if there is none. */
function incompleteBoundary(data: Buffer): number {
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

/** Collects the bytes of one section up to its limit, and counts the lines beyond it. */
class SectionBuilder {
  readonly #maxBytes: number
  readonly #chunks: Buffer[] = []
  readonly #onBytes: ((bytes: Buffer) => void) | undefined
  #size = 0
  #counter: LineCounter | undefined

  constructor(maxBytes: number, onBytes?: (bytes: Buffer) => void) {
    this.#maxBytes = maxBytes
    this.#onBytes = onBytes
  }

  add(bytes: Buffer): void {
    if (this.#onBytes) return this.#onBytes(bytes)
    const freeBytes = this.#maxBytes - this.#size
    if (freeBytes > 0 && bytes.length > 0) this.#chunks.push(bytes.subarray(0, freeBytes))
    this.#size += bytes.length
    if (this.#maxBytes > 0 && bytes.length > freeBytes) this.#count(bytes, Math.max(0, freeBytes))
  }

  finish(): DiffSection {
    const [first = Buffer.alloc(0), ...rest] = this.#chunks
    const bytes = rest.length === 0 ? first : Buffer.concat(this.#chunks)
    const { additions = 0, deletions = 0 } = this.#counter ?? {}
    return { bytes, truncated: this.#size > this.#maxBytes, rest: { additions, deletions } }
  }

  #count(bytes: Buffer, from: number): void {
    const last = from > 0 ? bytes[from - 1] : this.#chunks.at(-1)?.at(-1)
    this.#counter ??= new LineCounter(last === LINE_FEED)
    this.#counter.add(bytes.subarray(from))
  }
}
