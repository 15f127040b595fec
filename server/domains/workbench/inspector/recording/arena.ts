/** The position of a body's bytes in the arena. `at` counts from the beginning of the recording. */
export interface Slot {
  readonly at: number
  readonly length: number
  /** The length before it was cut. */
  readonly fullLength: number
  /** The beginnings of secret texts, which are covered when the bytes are read. */
  readonly needles: readonly Buffer[]
}

const NONE: readonly Buffer[] = []

/**
 * The bytes of bodies, in one block of memory that is used as a ring. Writing copies and does not allocate; the oldest
 * bytes are overwritten first. The system allocates the memory when it is first written.
 */
export class Arena {
  readonly #bytes: Buffer
  #next = 0

  constructor(capacity: number) {
    this.#bytes = Buffer.allocUnsafeSlow(capacity)
  }

  /**
   * Stores at most `limit` bytes. The secret texts after `needles` are covered in what `read` returns, and not here, because a
   * client waits while its answer is stored.
   */
  put(body: string | Buffer, fullLength: number, limit: number, needles = NONE): Slot {
    const capacity = this.#bytes.length
    const room = Math.min(limit, fullLength)
    if ((this.#next % capacity) + room > capacity) this.#next += capacity - (this.#next % capacity)
    const at = this.#next
    const start = at % capacity
    const length =
      typeof body === 'string'
        ? this.#bytes.write(body, start, room, 'utf8')
        : body.copy(this.#bytes, start, 0, room)
    this.#next += length
    return { at, length, fullLength, needles }
  }

  /** True if the bytes have not been overwritten and will not be soon. */
  isFresh({ at }: Slot): boolean {
    return at >= this.#next - this.#bytes.length / 2
  }

  /** The bytes as text; undefined after they were overwritten. */
  read({ at, length, needles }: Slot): string | undefined {
    const start = at % this.#bytes.length
    if (at < this.#next - this.#bytes.length) return undefined
    if (needles.length === 0) return this.#bytes.toString('utf8', start, start + length)
    const copy = Buffer.from(this.#bytes.subarray(start, start + length))
    coverFields(copy, needles)
    return copy.toString('utf8')
  }
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const STAR = 0x2a

/** Overwrites the text values of the fields in JSON bytes. A cut value is covered to its end. */
function coverFields(bytes: Buffer, needles: readonly Buffer[]): void {
  for (const needle of needles) {
    let from = bytes.indexOf(needle)
    while (from >= 0) {
      from += needle.length
      while (from < bytes.length && bytes[from] !== QUOTE) {
        if (bytes[from] === BACKSLASH) bytes[from++] = STAR
        bytes[from++] = STAR
      }
      from = bytes.indexOf(needle, from)
    }
  }
}

/** The bytes that `coverFields` searches for: the beginning of a text value. */
export function needleOf(field: string): Buffer {
  return Buffer.from(`${JSON.stringify(field)}:"`)
}
