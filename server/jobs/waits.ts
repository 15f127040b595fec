interface Wait {
  readonly isOver: () => boolean
  readonly resolve: () => void
}

/**
 * Callers that wait until certain jobs have ended. Their conditions are checked each time the runner checks for work.
 */
export class Waits {
  readonly #open = new Set<Wait>()

  /** Resolves when `isOver`, or when the signal aborts. */
  async until(isOver: () => boolean, signal: AbortSignal): Promise<void> {
    if (signal.aborted || isOver()) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const wait = { isOver, resolve }
    this.#open.add(wait)
    const end = () => resolve()
    signal.addEventListener('abort', end, { once: true })
    try {
      await promise
    } finally {
      signal.removeEventListener('abort', end)
      this.#open.delete(wait)
    }
  }

  look(): void {
    for (const wait of this.#open) if (wait.isOver()) wait.resolve()
  }
}
