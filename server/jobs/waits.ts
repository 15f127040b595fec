interface Wait {
  readonly isOver: () => boolean
  readonly causes: Iterable<string>
  readonly resolve: () => void
}

/**
 * Callers that wait until certain jobs have ended. Their conditions are checked whenever the runner checks for work.
 */
export class Waits {
  readonly #open = new Set<Wait>()

  /** Resolves when `isOver` returns true, or when the signal aborts. `causes` are the causes of the awaited jobs. */
  async until(isOver: () => boolean, signal: AbortSignal, causes: Iterable<string> = []): Promise<void> {
    if (signal.aborted || isOver()) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const wait = { isOver, causes, resolve }
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

  /** The causes of all jobs that callers wait for. */
  causes(): string[] {
    return [...this.#open].flatMap(({ causes }) => [...causes])
  }

  /** Resolves the waits that have their condition met. */
  resolveEnded(): void {
    for (const wait of this.#open) if (wait.isOver()) wait.resolve()
  }
}
