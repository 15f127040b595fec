import { closeSync, fdatasync as fdatasyncCallback, openSync } from 'node:fs'
import { promisify } from 'node:util'

import { Failure } from '../lib/fail.ts'

const fdatasync = promisify(fdatasyncCallback)

const NOT_CONFIRMED = 'The disk does not confirm the change; a power cut may undo it.'

/** Writes the buffered bytes of a file to the disk (`fsync`). */
export type Sync = () => Promise<void>

/**
 * Writes commits to the disk, many at once. SQLite appends commits to the write-ahead log and does not wait; one sync
 * of that file covers all commits before it. Commits that arrive while a sync runs share the next one.
 */
export class CommitSync {
  readonly #sync: Sync
  #committed = 0
  #stored = 0
  #running: Promise<void> | undefined

  constructor(sync: Sync) {
    this.#sync = sync
  }

  /** Counts a commit that callers of `stored` wait for. */
  committed(): void {
    this.#committed++
  }

  /**
   * Resolves when all commits so far are on disk; undefined when they already are. Rejects with a Failure (507) when the
   * sync fails.
   */
  stored(): Promise<void> | undefined {
    return this.#stored < this.#committed ? this.#until(this.#committed) : undefined
  }

  async #until(count: number): Promise<void> {
    while (this.#stored < count) await (this.#running ??= this.#run())
  }

  async #run(): Promise<void> {
    const covered = this.#committed
    try {
      await this.#sync()
      this.#stored = covered
    } catch (error) {
      throw new Failure('no_storage', NOT_CONFIRMED, { cause: error })
    } finally {
      this.#running = undefined
    }
  }
}

/** Syncs the write-ahead log of a database. SQLite keeps the file as long as a connection is open. */
export class WriteAheadLog {
  readonly #path: string
  #fd: number | undefined
  #syncing: number | undefined
  #isClosed = false

  constructor(database: string) {
    this.#path = `${database}-wal`
  }

  readonly sync: Sync = async () => {
    // Windows syncs only files that are open for writing.
    const fd = (this.#fd ??= openSync(this.#path, 'r+'))
    this.#syncing = fd
    try {
      await fdatasync(fd)
    } finally {
      this.#syncing = undefined
      if (this.#fd !== fd) closeSync(fd)
      else if (this.#isClosed) this.close()
    }
  }

  /** Closes the file, after a running sync. */
  close(): void {
    this.#isClosed = true
    if (this.#syncing === undefined) this.forget()
  }

  /** Opens the file again at the next sync, because SQLite creates a new one. */
  forget(): void {
    const fd = this.#fd
    this.#fd = undefined
    // A running sync closes the file when it ends.
    if (fd !== undefined && this.#syncing !== fd) closeSync(fd)
  }
}
