const EMPTY: Buffer = Buffer.alloc(0)

/** Reads a stream in parts of a requested length. */
export class ByteReader {
  readonly #source: AsyncIterator<Buffer>
  #buffer: Buffer = EMPTY
  #isDone = false

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]()
  }

  /** The next `size` bytes; fewer at the end. */
  async take(size: number): Promise<Buffer> {
    const chunks = [this.#buffer]
    let length = this.#buffer.length
    while (length < size) {
      const next = await this.#next()
      if (next === undefined) break
      chunks.push(next)
      length += next.length
    }
    this.#buffer = chunks.length === 1 ? this.#buffer : Buffer.concat(chunks, length)
    return this.#cut(size)
  }

  /** The next bytes, at most `size`, without waiting for more than one chunk of the stream; none at the end. */
  async upTo(size: number): Promise<Buffer> {
    return (await this.isAtEnd()) ? EMPTY : this.#cut(size)
  }

  /** True after the whole stream has been read. */
  async isAtEnd(): Promise<boolean> {
    while (this.#buffer.length === 0) {
      const next = await this.#next()
      if (next === undefined) return true
      this.#buffer = next
    }
    return false
  }

  #cut(size: number): Buffer {
    const bytes = this.#buffer.subarray(0, size)
    this.#buffer = this.#buffer.subarray(size)
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
