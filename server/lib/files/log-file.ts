import { closeSync, fstatSync, write, writeSync } from 'node:fs'

const GATHER_BYTES = 4096
const GATHER_MS = 1000
/** The maximum number of bytes of waiting lines while the disk refuses writes. Further lines are dropped. */
const MAX_WAITING_BYTES = 1024 * 1024

/**
 * A log file that is written in the background and never fails: lines that cannot be written are dropped, and later
 * ones are tried again.
 */
export class LogFile {
  readonly #open: () => number
  readonly #maxBytes: number
  #fd: number | undefined
  #size = 0
  #waiting: string[] = []
  #bytes = 0
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

  /** Takes one line with its line end. */
  write(line: string): void {
    if (this.#bytes > MAX_WAITING_BYTES) return
    this.#waiting.push(line)
    this.#bytes += line.length
    if (this.#bytes >= GATHER_BYTES) this.#writeWaiting()
    else this.#timer ??= setTimeout(() => this.#writeWaiting(), GATHER_MS).unref()
  }

  /** Writes the waiting lines synchronously. */
  flush(): void {
    if (this.#waiting.length === 0) return
    try {
      this.#written(writeSync(this.#opened(), this.#take()))
    } catch {
      // A log that cannot be written has nowhere to report it.
    }
  }

  #writeWaiting(): void {
    if (this.#isWriting || this.#waiting.length === 0) return
    const text = this.#take()
    let fd: number
    try {
      fd = this.#opened()
    } catch {
      return
    }
    this.#isWriting = true
    write(fd, text, (_error, bytes) => {
      this.#isWriting = false
      this.#written(bytes)
      if (this.#bytes >= GATHER_BYTES) this.#writeWaiting()
    })
  }

  #opened(): number {
    if (this.#fd === undefined) {
      this.#fd = this.#open()
      this.#size = fstatSync(this.#fd).size
    }
    return this.#fd
  }

  #written(bytes: number): void {
    this.#size += bytes
    // A write in the background still needs the file.
    if (this.#fd === undefined || this.#isWriting || this.#size <= this.#maxBytes) return
    closeSync(this.#fd)
    this.#fd = undefined
  }

  #take(): Buffer {
    const text = Buffer.from(this.#waiting.join(''))
    this.#waiting = []
    this.#bytes = 0
    clearTimeout(this.#timer)
    this.#timer = undefined
    return text
  }
}
