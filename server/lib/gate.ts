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
  readonly #beforePass: (() => Promise<void> | undefined) | undefined
  #inside = 0
  #hold: PromiseWithResolvers<void> | undefined
  #onEmpty: (() => void) | undefined

  /** `before` returns a promise that work awaits before it passes the gate. */
  constructor(before?: () => Promise<void> | undefined) {
    this.#beforePass = before
  }

  /** Runs `work` once the gate is open. */
  async pass<T>(work: () => Promise<T>): Promise<T> {
    // If nothing has to be awaited, the work enters synchronously, so that a following `close` counts it.
    const before = this.#beforePass?.()
    if (before) await before
    while (this.#hold) await this.#hold.promise
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
    if (this.#hold) throw new GateBusy()
    const hold = Promise.withResolvers<void>()
    this.#hold = hold
    const open = (): void => {
      if (this.#hold !== hold) return
      this.#hold = undefined
      hold.resolve()
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
