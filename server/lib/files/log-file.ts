import { closeSync, fstatSync, write, writeSync } from 'node:fs'

/** Lines are written when this many bytes wait, or after this time in milliseconds. */
const GATHER_BYTES = 4096
const GATHER_MS = 1000
/** The maximum number of bytes of waiting lines while the disk refuses writes. Further lines are dropped. */
const MAX_WAITING_BYTES = 1024 * 1024

/**
 * A log file that is written in the background. Writing never throws: lines that cannot be written are dropped.
 */
export class LogFile {
  readonly #open: () => number
  readonly #maxBytes: number
  #fd: number | undefined
  #size = 0
  #waiting: string[] = []
  #waitingBytes = 0
  #isWriting = false
  #timer: NodeJS.Timeout | undefined

  /**
   * `open` returns the file's descriptor. It is called at the first write, and again once the file is larger than
   * `maxBytes`; it then moves the old file away.
   */
  constructor(open: () => number, maxBytes: number) {
    this.#open = open
    this.#maxBytes = maxBytes
  }

  /** Adds a line, which must include its line end. */
  write(line: string): void {
    if (this.#waitingBytes > MAX_WAITING_BYTES) return
    this.#waiting.push(line)
    this.#waitingBytes += line.length
    if (this.#waitingBytes >= GATHER_BYTES) this.#writeWaiting()
    else this.#timer ??= setTimeout(() => this.#writeWaiting(), GATHER_MS).unref()
  }

  /** Writes the waiting lines synchronously. */
  flush(): void {
    if (this.#waiting.length === 0) return
    try {
      this.#countWritten(writeSync(this.#descriptor(), this.#takeWaiting()))
    } catch {
      // A log that cannot be written has nowhere to report it.
    }
  }

  #writeWaiting(): void {
    if (this.#isWriting || this.#waiting.length === 0) return
    const text = this.#takeWaiting()
    let fd: number
    try {
      fd = this.#descriptor()
    } catch {
      return
    }
    this.#isWriting = true
    write(fd, text, (_error, bytes) => {
      this.#isWriting = false
      this.#countWritten(bytes)
      if (this.#waitingBytes >= GATHER_BYTES) this.#writeWaiting()
    })
  }

  #descriptor(): number {
    if (this.#fd === undefined) {
      this.#fd = this.#open()
      this.#size = fstatSync(this.#fd).size
    }
    return this.#fd
  }

  #countWritten(bytes: number): void {
    this.#size += bytes
    // A write in the background still needs the file.
    if (this.#fd === undefined || this.#isWriting || this.#size <= this.#maxBytes) return
    closeSync(this.#fd)
    this.#fd = undefined
  }

  #takeWaiting(): Buffer {
    const text = Buffer.from(this.#waiting.join(''))
    this.#waiting = []
    this.#waitingBytes = 0
    clearTimeout(this.#timer)
    this.#timer = undefined
    return text
  }
}
