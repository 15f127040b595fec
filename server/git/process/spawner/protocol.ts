/** A program to be started. */
export interface Command {
  readonly file: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** Three, or five for a push: its hooks write to descriptor 3 and read from descriptor 4. */
  readonly descriptors?: 3 | 5
  /** True if the program leads a process group, so that the whole group can be ended. */
  readonly group?: boolean
  /** The `nice` value of the program. */
  readonly nice?: number
  /**
   * True for a program that lives long and answers often: the helper hands its input and output over to the server, so
   * that they do not pass through the helper.
   */
  readonly direct?: boolean
}

/**
 * A message of the IPC channel, which can carry sockets. `descriptor` is the one of the attached socket. A message
 * without it follows when the helper has closed its own copies of both sockets.
 */
export interface Handover {
  readonly run: number
  readonly descriptor?: number
}

/** How a program ended. */
export interface ProgramEnd {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** The kinds of messages between the server and the helper. Both send `data`, `end` and `consumed`. */
export const KIND = {
  /** The helper is ready. */
  ready: 0,
  /** Start a program; the content is a `Command`. */
  start: 1,
  /** The program runs; the content is its process id. */
  started: 2,
  /** The program could not be started; the content is the reason. */
  failed: 3,
  /** Bytes of a descriptor. */
  data: 4,
  /** A descriptor has no more bytes, or nobody reads it any more. */
  end: 5,
  /** The receiver has consumed this many bytes of a descriptor, so as many more may be sent. */
  consumed: 6,
  /** Send a signal to the program; the content is its name. */
  kill: 7,
  /** The program ended; the content is a `ProgramEnd`. */
  exited: 8,
} as const

export type Kind = (typeof KIND)[keyof typeof KIND]

/** One message. `run` is the number of the program; `descriptor` is 0 for messages that are not about a descriptor. */
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

/** Creates the head of a message. The content follows it. */
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
    if (this.#size < this.#firstLength()) return []
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

  /** The length of the first message, or of its head while the rest is unknown. */
  #firstLength(): number {
    const first = this.#parts[0]!
    return first.length < HEAD_BYTES ? HEAD_BYTES : HEAD_BYTES + first.readUInt32BE(6)
  }
}

export function jsonOf<T>({ content }: Frame): T {
  return JSON.parse(content.toString('utf8')) as T
}
