/** A piece of a diff: first the raw lines, then one piece per file. */
export interface DiffSection {
  readonly bytes: Buffer
  /** True when the piece was longer than what is kept of it. */
  readonly truncated: boolean
}

const BOUNDARY = Buffer.from('\ndiff --git ')

/**
 * Cuts the output of `diff-tree --raw --patch` where files begin. Inside hunks every line begins with a space, `+`,
 * `-` or `\`, and paths are quoted, so a line that begins with `diff --git` can be nothing else. Of each piece at
 * most `keepBytes()` are held, asked anew for each. The raw lines, of which there may be very many, go to `onRaw` as
 * they come where there is one; their piece is empty then.
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

/** Where a boundary may have begun that the next bytes complete; the end of the data when none has. */
function openEnd(data: Buffer): number {
  const from = Math.max(0, data.length - BOUNDARY.length + 1)
  for (let at = data.indexOf(BOUNDARY[0]!, from); at !== -1; at = data.indexOf(BOUNDARY[0]!, at + 1)) {
    if (BOUNDARY.subarray(0, data.length - at).equals(data.subarray(at))) return at
  }
  return data.length
}

class Piece {
  readonly #keepBytes: number
  readonly #chunks: Buffer[] = []
  readonly #onBytes: ((bytes: Buffer) => void) | undefined
  #size = 0

  constructor(keepBytes: number, onBytes?: (bytes: Buffer) => void) {
    this.#keepBytes = keepBytes
    this.#onBytes = onBytes
  }

  add(bytes: Buffer): void {
    if (this.#onBytes) return this.#onBytes(bytes)
    const room = this.#keepBytes - this.#size
    if (room > 0 && bytes.length > 0) this.#chunks.push(bytes.subarray(0, room))
    this.#size += bytes.length
  }

  finish(): DiffSection {
    const [first = Buffer.alloc(0), ...rest] = this.#chunks
    const bytes = rest.length === 0 ? first : Buffer.concat(this.#chunks)
    return { bytes, truncated: this.#size > this.#keepBytes }
  }
}
