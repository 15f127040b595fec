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
 * most `keepBytes()` are held, asked anew for each.
 */
export async function* diffSections(
  output: AsyncIterable<Buffer>,
  keepBytes: () => number,
): AsyncGenerator<DiffSection> {
  let piece = new Piece(keepBytes())
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
    // The last bytes may be the beginning of a boundary.
    const end = Math.max(start, data.length - BOUNDARY.length)
    piece.add(data.subarray(start, end))
    tail = data.subarray(end)
  }
  piece.add(tail)
  yield piece.finish()
}

class Piece {
  readonly #keepBytes: number
  readonly #chunks: Buffer[] = []
  #size = 0

  constructor(keepBytes: number) {
    this.#keepBytes = keepBytes
  }

  add(bytes: Buffer): void {
    const room = this.#keepBytes - this.#size
    if (room > 0 && bytes.length > 0) this.#chunks.push(bytes.subarray(0, room))
    this.#size += bytes.length
  }

  finish(): DiffSection {
    return { bytes: Buffer.concat(this.#chunks), truncated: this.#size > this.#keepBytes }
  }
}
