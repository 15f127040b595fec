/** Those inside did not leave in time; the gate is open again. */
export class GateBusy extends Error {
  constructor() {
    super('What is under way did not end in time.')
    this.name = 'GateBusy'
  }
}

/**
 * A passage that can be closed for a moment: who is inside goes on, who comes waits. So a backup finds nothing half done,
 * and nobody is refused. What passes may pass another gate inside, but not the same one.
 */
export class Gate {
  #inside = 0
  #closed: PromiseWithResolvers<void> | undefined
  #emptied: (() => void) | undefined

  /** Runs `work` once the gate is open. */
  async pass<T>(work: () => Promise<T>): Promise<T> {
    while (this.#closed) await this.#closed.promise
    this.#inside++
    try {
      return await work()
    } finally {
      this.#inside--
      if (this.#inside === 0) this.#emptied?.()
    }
  }

  /**
   * Closes the gate and resolves, with how to open it again, once nobody is inside. Throws GateBusy after `patienceMs`, and
   * where somebody else has closed it.
   */
  async close(patienceMs: number): Promise<() => void> {
    if (this.#closed) throw new GateBusy()
    const closed = Promise.withResolvers<void>()
    this.#closed = closed
    const open = (): void => {
      if (this.#closed !== closed) return
      this.#closed = undefined
      closed.resolve()
    }
    if (this.#inside > 0 && !(await this.#isEmptied(patienceMs))) {
      open()
      throw new GateBusy()
    }
    return open
  }

  async #isEmptied(patienceMs: number): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined
    try {
      return await new Promise<boolean>((resolve) => {
        this.#emptied = () => resolve(true)
        timer = setTimeout(() => resolve(false), patienceMs)
      })
    } finally {
      clearTimeout(timer)
      this.#emptied = undefined
    }
  }
}

/**
 * The gate before the removal of stored files, whose row is gone already. It is closed while a backup makes its links, so
 * that every file which its copy of the database names is there.
 */
export function removalsOf(config: { readonly removals: Gate }): Gate {
  return config.removals
}
