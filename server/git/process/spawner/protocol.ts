/** A program to be started. */
export interface Command {
  readonly file: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** Three, or five for the hooks of a push: they write to descriptor 3 and read from descriptor 4. */
  readonly descriptors?: 3 | 5
  /** The program leads a process group, which can be ended as a whole. */
  readonly group?: boolean
  /** Its `nice` value. */
  readonly nice?: number
}

/** How a program ended. */
export interface ProgramEnd {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** The messages between the server and the helper about a program. Both send `data`, `end` and `taken`. */
export const KIND = {
  /** The helper is ready. */
  ready: 0,
  /** Start a `Command`. */
  start: 1,
  /** The program runs; the content is its process id. */
  started: 2,
  /** The program could not be started; the content is the reason. */
  failed: 3,
  /** Bytes of a descriptor. */
  data: 4,
  /** A descriptor has no more bytes, or no reader. */
  end: 5,
  /** This many bytes of a descriptor were consumed, and as many more may be sent. */
  taken: 6,
  /** Send a signal to the program. */
  kill: 7,
  /** The program ended; the content is an `Ending`. */
  exited: 8,
} as const

export type Kind = (typeof KIND)[keyof typeof KIND]

/** One message. `descriptor` is 0 for messages without one. */
export interface Frame {
  readonly kind: Kind
  readonly run: number
  readonly descriptor: number
  readonly content: Buffer
}

/** The maximum number of bytes of a descriptor that may be sent before the receiver confirms them. */
export const WINDOW_BYTES = 256 * 1024

/** True for the descriptors that a program reads. It writes to the others. */
export function isInput(descriptor: number): boolean {
  return descriptor === 0 || descriptor === 4
}

const HEAD_BYTES = 10

/** The beginning of a message; its content follows. */
export function frameHead(kind: Kind, run: number, descriptor: number, length: number): Buffer {
  const head = Buffer.allocUnsafe(HEAD_BYTES)
  head.writeUInt8(kind, 0)
  head.writeUInt8(descriptor, 1)
  head.writeUInt32BE(run, 2)
  head.writeUInt32BE(length, 6)
  return head
}

/** Splits the bytes of the connection into messages. */
export class FrameReader {
  #parts: Buffer[] = []
  #size = 0

  /** Returns all complete messages. Where possible, their contents are views of `chunk`. */
  push(chunk: Buffer): Frame[] {
    this.#parts.push(chunk)
    this.#size += chunk.length
    // A long message is copied only once, when it is complete.
    if (this.#size < this.#wanted()) return []
    const all = this.#parts.length === 1 ? chunk : Buffer.concat(this.#parts, this.#size)
    const frames: Frame[] = []
    let at = 0
    while (all.length - at >= HEAD_BYTES) {
      const end = at + HEAD_BYTES + all.readUInt32BE(at + 6)
      if (end > all.length) break
      frames.push({
        kind: all.readUInt8(at) as Kind,
        descriptor: all.readUInt8(at + 1),
        run: all.readUInt32BE(at + 2),
        content: all.subarray(at + HEAD_BYTES, end),
      })
      at = end
    }
    this.#size = all.length - at
    this.#parts = this.#size > 0 ? [all.subarray(at)] : []
    return frames
  }

  /** The number of bytes that the first message needs, as far as it is known. */
  #wanted(): number {
    const first = this.#parts[0]!
    return first.length < HEAD_BYTES ? HEAD_BYTES : HEAD_BYTES + first.readUInt32BE(6)
  }
}

export function jsonOf<T>({ content }: Frame): T {
  return JSON.parse(content.toString('utf8')) as T
}
