import type { FileHandle } from 'node:fs/promises'
import { RandomAccessReader } from 'yauzl'

const WINDOW = 256 * 1024

type Done = (error: Error | null) => void

/**
 * Reads a file for yauzl in large pieces: the directory of an archive is thousands of records of some fifty bytes that lie
 * behind each other. What lies in the piece is given at once.
 */
export class WindowReader extends RandomAccessReader {
  readonly #handle: FileHandle
  #window: Buffer = Buffer.alloc(0)
  #start = 0

  constructor(handle: FileHandle) {
    super()
    this.#handle = handle
  }

  override read(buffer: Buffer, offset: number, length: number, position: number, done: Done): void {
    if (position >= this.#start && position + length <= this.#start + this.#window.length) {
      this.#give(buffer, offset, length, position)
      done(null)
      return
    }
    this.#load(position, Math.max(length, WINDOW)).then(
      () => {
        if (this.#window.length < length) return done(new Error('The archive ends early.'))
        this.#give(buffer, offset, length, position)
        done(null)
      },
      (error: Error) => done(error),
    )
  }

  /** The file is closed by whoever opened it. */
  override close(done: Done): void {
    done(null)
  }

  #give(buffer: Buffer, offset: number, length: number, position: number): void {
    this.#window.copy(buffer, offset, position - this.#start, position - this.#start + length)
  }

  async #load(position: number, length: number): Promise<void> {
    if (!Number.isSafeInteger(position) || position < 0)
      throw new Error('The archive names a place outside of it.')
    const { buffer, bytesRead } = await this.#handle.read(Buffer.alloc(length), 0, length, position)
    this.#window = buffer.subarray(0, bytesRead)
    this.#start = position
  }
}
