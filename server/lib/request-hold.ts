/**
 * Holds requests while the content of the instance is saved or replaced. Running requests end, new ones wait.
 */
export class RequestHold {
  #inside = 0
  #closed: PromiseWithResolvers<void> | undefined
  #emptied: () => void = () => undefined

  /**
   * Admits a request, and returns the function to call at its end. Undefined if a hold does not end within `waitMs`.
   */
  async enter(waitMs: number): Promise<(() => void) | undefined> {
    const until = performance.now() + waitMs
    while (this.#closed) {
      const remainingMs = until - performance.now()
      if (remainingMs <= 0) return undefined
      const { promise, resolve } = Promise.withResolvers<void>()
      const timer = setTimeout(resolve, remainingMs)
      await Promise.race([this.#closed.promise, promise])
      clearTimeout(timer)
    }
    this.#inside++
    return () => {
      this.#inside--
      this.#emptied()
    }
  }

  /**
   * Stops admitting requests, and waits until only the caller's request is left. Returns a function that ends the hold;
   * undefined if earlier requests take longer than `patienceMs`, and during another hold.
   */
  async close(patienceMs: number): Promise<(() => void) | undefined> {
    if (this.#closed) return undefined
    const closed = Promise.withResolvers<void>()
    this.#closed = closed
    const open = (): void => {
      if (this.#closed !== closed) return
      this.#closed = undefined
      closed.resolve()
    }
    if (await this.#isAlone(patienceMs)) return open
    open()
    return undefined
  }

  async #isAlone(patienceMs: number): Promise<boolean> {
    if (this.#inside <= 1) return true
    let timer: NodeJS.Timeout | undefined
    try {
      return await new Promise<boolean>((resolve) => {
        this.#emptied = () => this.#inside <= 1 && resolve(true)
        timer = setTimeout(() => resolve(false), patienceMs)
      })
    } finally {
      clearTimeout(timer)
      this.#emptied = () => undefined
    }
  }
}

/** The hold of an instance. */
export function requestHoldOf(db: { instance<T>(key: string, make: () => T): T }): RequestHold {
  return db.instance('http.hold', () => new RequestHold())
}
