/** Reads the binary format of SSH (RFC 4251) with its length prefixes. Returns undefined instead of throwing. */
export class WireReader {
  readonly #data: Buffer
  #at = 0

  constructor(data: Buffer) {
    this.#data = data
  }

  /** The next string as bytes. */
  string(): Buffer | undefined {
    const length = this.uint32()
    if (length === undefined || length > this.#data.length - this.#at) return undefined
    return this.#take(length)
  }

  /** The next string as ASCII text. */
  text(): string | undefined {
    return this.string()?.toString('latin1')
  }

  /** A positive whole number in its shortest form, without the zero byte that keeps it positive. */
  positive(): Buffer | undefined {
    const bytes = this.string()
    if (bytes === undefined || bytes.length === 0 || bytes[0]! & 0x80) return undefined
    if (bytes[0] !== 0) return bytes
    return bytes.length > 1 && bytes[1]! & 0x80 ? bytes.subarray(1) : undefined
  }

  uint32(): number | undefined {
    if (this.#data.length - this.#at < 4) return undefined
    return this.#take(4).readUInt32BE()
  }

  byte(): number | undefined {
    return this.#at < this.#data.length ? this.#take(1)[0] : undefined
  }

  /** This many bytes, without a length prefix. */
  bytes(count: number): Buffer | undefined {
    return this.#data.length - this.#at < count ? undefined : this.#take(count)
  }

  /** True when everything was read. */
  get isAtEnd(): boolean {
    return this.#at === this.#data.length
  }

  #take(length: number): Buffer {
    this.#at += length
    return this.#data.subarray(this.#at - length, this.#at)
  }
}

/** A string of the binary form: its length, then its bytes. */
export function wireString(content: Buffer | string): Buffer {
  const bytes = Buffer.from(content as string)
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  return Buffer.concat([length, bytes])
}
