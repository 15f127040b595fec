/** Running work did not end in time; the gate is open again. */
export class GateBusy extends Error {
  constructor() {
    super('Running work did not end in time.')
    this.name = 'GateBusy'
  }
}

/**
 * A gate that can be closed for a moment: running work continues, new work waits. A backup uses it to find no unfinished
 * change without refusing requests. Work inside may pass another gate, but not the same one again.
 */
export class Gate {
  readonly #before: (() => Promise<void> | undefined) | undefined
  #inside = 0
  #closed: PromiseWithResolvers<void> | undefined
  #onEmpty: (() => void) | undefined

  /** `before` returns a promise that work awaits before it passes the gate. */
  constructor(before?: () => Promise<void> | undefined) {
    this.#before = before
  }

  /** Runs `work` once the gate is open. */
  async pass<T>(work: () => Promise<T>): Promise<T> {
    // If nothing has to be awaited, the work enters synchronously, so that a following `close` counts it.
    const before = this.#before?.()
    if (before) await before
    while (this.#closed) await this.#closed.promise
    this.#inside++
    try {
      return await work()
    } finally {
      this.#inside--
      if (this.#inside === 0) this.#onEmpty?.()
    }
  }

  /**
   * Closes the gate and resolves when no work is inside. Returns a function that opens it again. Throws GateBusy after
   * `timeoutMs`, and when the gate is already closed.
   */
  async close(timeoutMs: number): Promise<() => void> {
    if (this.#closed) throw new GateBusy()
    const closed = Promise.withResolvers<void>()
    this.#closed = closed
    const open = (): void => {
      if (this.#closed !== closed) return
      this.#closed = undefined
      closed.resolve()
    }
    if (this.#inside > 0 && !(await this.#waitUntilEmpty(timeoutMs))) {
      open()
      throw new GateBusy()
    }
    return open
  }

  async #waitUntilEmpty(timeoutMs: number): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined
    try {
      return await new Promise<boolean>((resolve) => {
        this.#onEmpty = () => resolve(true)
        timer = setTimeout(() => resolve(false), timeoutMs)
      })
    } finally {
      clearTimeout(timer)
      this.#onEmpty = undefined
    }
  }
}

/**
 * The gate of removals of stored files. It is closed while a backup creates its hard links, so that every file in the
 * backup's copy of the database exists.
 */
export function removalsOf(config: { readonly removals: Gate }): Gate {
  return config.removals
}
