/** A program to be started. */
export interface Command {
  readonly file: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** Three, or five where the hooks of a push talk to us: descriptor 3 comes from them, 4 goes to them. */
  readonly descriptors?: 3 | 5
  /** It leads a group of processes, which can be ended together. */
  readonly group?: boolean
  /** How far it lets other programs go first, as `nice` counts. */
  readonly nice?: number
}

/** How a program ended. */
export interface Ending {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** What the large process and its helper say to each other about a program. Both send data, and how it is dealt with. */
export const KIND = {
  /** The helper listens. */
  ready: 0,
  /** A `Command` is to be started. */
  start: 1,
  /** It runs, under this process id. */
  started: 2,
  /** It could not be started: a sentence. */
  failed: 3,
  /** Bytes of one of its descriptors. */
  data: 4,
  /** Nothing more comes on a descriptor, or nobody wants to read what comes. */
  end: 5,
  /** So many bytes of a descriptor are dealt with, and as many more may be sent. */
  taken: 6,
  /** A signal is to be sent to it. */
  kill: 7,
  /** It ended: an `Ending`. */
  exited: 8,
} as const

export type Kind = (typeof KIND)[keyof typeof KIND]

/** One message. `descriptor` is 0 where it means nothing. */
export interface Frame {
  readonly kind: Kind
  readonly run: number
  readonly descriptor: number
  readonly content: Buffer
}

/** How many bytes of a descriptor may be under way: enough to go on while others have their turn, and little to keep. */
export const WINDOW_BYTES = 256 * 1024

/** What a program reads. It writes to its other descriptors. */
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

/** Finds the messages in what comes over the connection. */
export class FrameReader {
  #parts: Buffer[] = []
  #size = 0

  /** All messages that are whole now. Their contents are parts of `chunk` where they can be. */
  push(chunk: Buffer): Frame[] {
    this.#parts.push(chunk)
    this.#size += chunk.length
    // Of a long message nothing is copied before its end is there.
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

  /** How many bytes make the first message whole, as far as that is known. */
  #wanted(): number {
    const first = this.#parts[0]!
    return first.length < HEAD_BYTES ? HEAD_BYTES : HEAD_BYTES + first.readUInt32BE(6)
  }
}

/** Text of a message. */
export function jsonOf<T>({ content }: Frame): T {
  return JSON.parse(content.toString('utf8')) as T
}
