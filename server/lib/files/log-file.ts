import { write, writeSync } from 'node:fs'

const GATHER_BYTES = 4096
const GATHER_MS = 1000
/** Limit of waiting lines while the disk refuses writes; more are dropped. */
const MAX_WAITING_BYTES = 1024 * 1024

/**
 * A log file that is written in the background and never fails: lines that cannot be written are dropped, and later
 * ones are tried again.
 */
export class LogFile {
  readonly #open: () => number
  #fd: number | undefined
  #waiting: string[] = []
  #bytes = 0
  #isWriting = false
  #timer: NodeJS.Timeout | undefined

  /** `open` returns the file's descriptor; it is called at the first write. */
  constructor(open: () => number) {
    this.#open = open
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
      this.#fd ??= this.#open()
      writeSync(this.#fd, this.#take())
    } catch {
      // A log that cannot be written has nowhere to report it.
    }
  }

  #writeWaiting(): void {
    if (this.#isWriting || this.#waiting.length === 0) return
    const text = this.#take()
    try {
      this.#fd ??= this.#open()
    } catch {
      return
    }
    this.#isWriting = true
    write(this.#fd, text, () => {
      this.#isWriting = false
      if (this.#bytes >= GATHER_BYTES) this.#writeWaiting()
    })
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
