/** One writer at a time per key; the others wait in order of arrival. */
export class WriteLocks {
  readonly #tails = new Map<string, Promise<void>>()

  /** Runs `work` alone among all work under the same key. Not re-entrant: asking again inside waits for ever. */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const previous = this.#tails.get(key)
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#tails.set(key, promise)
    await previous
    try {
      return await work()
    } finally {
      if (this.#tails.get(key) === promise) this.#tails.delete(key)
      resolve()
    }
  }
}
