/** Runs one write; `startServer` passes the database's. */
export type Write = (sql: string, ...parameters: readonly unknown[]) => unknown

const EVERY_MS = 60_000

/**
 * Collects writes that no request waits for (last seen, last used). Of the writes of a key only the newest is stored.
 * All are stored together at most once a minute, and at the end. A crash loses at most one minute.
 */
export class Bookkeeping {
  readonly #pending = new Map<string, readonly [string, readonly unknown[]]>()
  readonly #together: (work: (write: Write) => void) => void
  #timer: NodeJS.Timeout | undefined

  /** `together` runs its work in one transaction. */
  constructor(together: (work: (write: Write) => void) => void) {
    this.#together = together
  }

  /** Notes a write; a later one with the same key replaces it. */
  note(key: string, sql: string, ...parameters: readonly unknown[]): void {
    this.#pending.set(key, [sql, parameters])
    this.#schedule()
  }

  #schedule(): void {
    this.#timer ??= setTimeout(() => {
      try {
        this.flush()
      } catch {
        // A full disk is reported by other writes; these are retried after a minute.
        this.#schedule()
      }
    }, EVERY_MS).unref()
  }

  /** Drops the collected writes. */
  forget(): void {
    this.#pending.clear()
  }

  /** Stores the collected writes; failed ones stay. */
  flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#pending.size === 0) return
    this.#together((write) => {
      for (const [sql, parameters] of this.#pending.values()) write(sql, ...parameters)
    })
    this.#pending.clear()
  }
}
