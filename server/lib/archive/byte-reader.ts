const EMPTY: Buffer = Buffer.alloc(0)

/** Reads a stream by length. */
export class ByteReader {
  readonly #source: AsyncIterator<Buffer>
  #held: Buffer = EMPTY
  #isDone = false

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]()
  }

  /** The next `size` bytes; fewer at the end. */
  async take(size: number): Promise<Buffer> {
    const pieces = [this.#held]
    let held = this.#held.length
    while (held < size) {
      const next = await this.#next()
      if (next === undefined) break
      pieces.push(next)
      held += next.length
    }
    this.#held = pieces.length === 1 ? this.#held : Buffer.concat(pieces, held)
    return this.#cut(size)
  }

  /** The next bytes in the chunks in which they arrive, at most `size`; none at the end. */
  async upTo(size: number): Promise<Buffer> {
    return (await this.isAtEnd()) ? EMPTY : this.#cut(size)
  }

  /** True when all of the stream is read. */
  async isAtEnd(): Promise<boolean> {
    while (this.#held.length === 0) {
      const next = await this.#next()
      if (next === undefined) return true
      this.#held = next
    }
    return false
  }

  #cut(size: number): Buffer {
    const bytes = this.#held.subarray(0, size)
    this.#held = this.#held.subarray(size)
    return bytes
  }

  async #next(): Promise<Buffer | undefined> {
    if (this.#isDone) return undefined
    const next = await this.#source.next()
    if (!next.done) return next.value
    this.#isDone = true
    return undefined
  }
}
