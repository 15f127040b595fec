/**
 * Holds requests while the content of the instance is saved or replaced. Running requests end, new requests wait.
 */
export class RequestHold {
  #inside = 0
  #hold: PromiseWithResolvers<void> | undefined
  #onLeave: () => void = () => undefined

  /**
   * Admits a request, and returns the function to call at its end. Undefined if a hold does not end within `waitMs`.
   */
  async enter(waitMs: number): Promise<(() => void) | undefined> {
    const until = performance.now() + waitMs
    while (this.#hold) {
      const remainingMs = until - performance.now()
      if (remainingMs <= 0) return undefined
      const { promise, resolve } = Promise.withResolvers<void>()
      const timer = setTimeout(resolve, remainingMs)
      await Promise.race([this.#hold.promise, promise])
      clearTimeout(timer)
    }
    this.#inside++
    return () => {
      this.#inside--
      this.#onLeave()
    }
  }

  /**
   * Stops admitting requests, and waits until only the caller's request is left. Returns a function that ends the hold;
   * undefined if earlier requests take longer than `timeoutMs`, and during another hold.
   */
  async close(timeoutMs: number): Promise<(() => void) | undefined> {
    if (this.#hold) return undefined
    const hold = Promise.withResolvers<void>()
    this.#hold = hold
    const open = (): void => {
      if (this.#hold !== hold) return
      this.#hold = undefined
      hold.resolve()
    }
    if (await this.#waitUntilAlone(timeoutMs)) return open
    open()
    return undefined
  }

  async #waitUntilAlone(timeoutMs: number): Promise<boolean> {
    if (this.#inside <= 1) return true
    let timer: NodeJS.Timeout | undefined
    try {
      return await new Promise<boolean>((resolve) => {
        this.#onLeave = () => this.#inside <= 1 && resolve(true)
        timer = setTimeout(() => resolve(false), timeoutMs)
      })
    } finally {
      clearTimeout(timer)
      this.#onLeave = () => undefined
    }
  }
}

/** The hold of an instance. */
export function requestHoldOf(db: { instance<T>(key: string, make: () => T): T }): RequestHold {
  return db.instance('http.hold', () => new RequestHold())
}
