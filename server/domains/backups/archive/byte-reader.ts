/** Reads a stream by length. */
export class ByteReader {
  readonly #chunks: AsyncIterator<Buffer>
  #held: Buffer[] = []
  #bytes = 0
  #isDone = false

  constructor(source: AsyncIterable<Buffer>) {
    this.#chunks = source[Symbol.asyncIterator]()
  }

  /** So many bytes; fewer at the end. */
  async take(size: number): Promise<Buffer> {
    await this.#fill(size)
    const all = Buffer.concat(this.#held)
    const rest = all.subarray(size)
    this.#held = rest.length > 0 ? [rest] : []
    this.#bytes = rest.length
    return all.subarray(0, size)
  }

  /** True when there is nothing more. */
  async isAtEnd(): Promise<boolean> {
    await this.#fill(1)
    return this.#bytes === 0
  }

  async #fill(size: number): Promise<void> {
    while (!this.#isDone && this.#bytes < size) {
      const next = await this.#chunks.next()
      if (next.done) this.#isDone = true
      else {
        this.#held.push(next.value)
        this.#bytes += next.value.length
      }
    }
  }
}
