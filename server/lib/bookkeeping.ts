/** Runs one write; the composition root hands in the database's. */
export type Write = (sql: string, ...parameters: readonly unknown[]) => unknown

const EVERY_MS = 60_000

/**
 * Writes that nobody waits for (last seen, last used): gathered by key, the newest wins, and stored together at most
 * once a minute and at the end. A crash loses at most that minute of them.
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
        // A full disk says so to whoever writes something that counts; these lines wait for the next minute.
        this.#schedule()
      }
    }, EVERY_MS).unref()
  }

  /** Stores what has gathered; what could not be stored stays. */
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
