/** Runs one statement that writes to the database. */
export type Write = (sql: string, ...parameters: readonly unknown[]) => unknown

const EVERY_MS = 60_000

/**
 * Collects writes that no request waits for, such as the time at which a token was last used. Of several writes with the
 * same key only the newest is stored. Collected writes are stored at most once a minute, and when the instance stops. A
 * crash loses at most one minute.
 */
export class Bookkeeping {
  readonly #pending = new Map<string, readonly [string, readonly unknown[]]>()
  readonly #transaction: (work: (write: Write) => void) => void
  #timer: NodeJS.Timeout | undefined

  /** `transaction` runs a function in one transaction. */
  constructor(transaction: (work: (write: Write) => void) => void) {
    this.#transaction = transaction
  }

  /** Collects a write. A later write with the same key replaces it. */
  collect(key: string, sql: string, ...parameters: readonly unknown[]): void {
    this.#pending.set(key, [sql, parameters])
    this.#schedule()
  }

  #schedule(): void {
    this.#timer ??= setTimeout(() => {
      try {
        this.flush()
      } catch {
        // Other writes report a full disk. These writes are tried again after a minute.
        this.#schedule()
      }
    }, EVERY_MS).unref()
  }

  /** Drops the collected writes. */
  clear(): void {
    this.#pending.clear()
  }

  /** Stores the collected writes. If that fails, they stay collected. */
  flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#pending.size === 0) return
    this.#transaction((write) => {
      for (const [sql, parameters] of this.#pending.values()) write(sql, ...parameters)
    })
    this.#pending.clear()
  }
}
