/** Slots: each task occupies one while it runs. */
export interface Slots {
  /** The number of slots. */
  readonly size: number
  /** Resolves with the function that releases the slot (a second call does nothing). Rejects when aborted. */
  acquire(signal?: AbortSignal): Promise<() => void>
}

/** After this many priority tasks in a row, one of the other tasks runs. */
const IN_A_ROW = 3

/** At most `size` tasks occupy a slot at a time; the others wait in order of arrival. */
export class Limiter implements Slots {
  readonly size: number
  /** The same slots, for short tasks that a user waits for. Such tasks usually go first. */
  readonly priority: Slots
  #occupied = 0
  #inARow = 0
  readonly #waiting: Array<() => void> = []
  readonly #waitingPriority: Array<() => void> = []

  constructor(size: number) {
    this.size = Math.max(1, size)
    this.priority = { size: this.size, acquire: (signal) => this.#acquire(this.#waitingPriority, signal) }
  }

  /** The number of tasks that wait for a slot. */
  get waiting(): number {
    return this.#waiting.length + this.#waitingPriority.length
  }

  acquire(signal?: AbortSignal): Promise<() => void> {
    return this.#acquire(this.#waiting, signal)
  }

  async #acquire(queue: Array<() => void>, signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted()
    if (this.#occupied >= this.size) await this.#wait(queue, signal)
    else this.#occupied += 1
    let isReleased = false
    return () => {
      if (isReleased) return
      isReleased = true
      this.#release()
    }
  }

  #wait(queue: Array<() => void>, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const enter = () => {
        signal?.removeEventListener('abort', release)
        resolve()
      }
      const release = () => {
        queue.splice(queue.indexOf(enter), 1)
        reject(signal?.reason)
      }
      signal?.addEventListener('abort', release, { once: true })
      queue.push(enter)
    })
  }

  // The next task gets the slot directly, so that no later task can overtake the queue.
  #release(): void {
    const mustYield = this.#inARow >= IN_A_ROW && this.#waiting.length > 0
    const isPriority = !mustYield && this.#waitingPriority.length > 0
    this.#inARow = isPriority ? this.#inARow + 1 : 0
    const next = (isPriority ? this.#waitingPriority : this.#waiting).shift()
    if (next === undefined) this.#occupied -= 1
    else next()
  }
}

/** At most `size` of the slots of `all`, so that background work leaves the others to requests. */
export class PartialSlots implements Slots {
  readonly size: number
  readonly #ownSlots: Limiter
  readonly #allSlots: Slots

  constructor(all: Slots, size: number) {
    this.size = size
    this.#ownSlots = new Limiter(size)
    this.#allSlots = all
  }

  async acquire(signal?: AbortSignal): Promise<() => void> {
    const releaseOwn = await this.#ownSlots.acquire(signal)
    try {
      const release = await this.#allSlots.acquire(signal)
      return () => {
        release()
        releaseOwn()
      }
    } catch (error) {
      releaseOwn()
      throw error
    }
  }
}

/**
 * Slots for `size` tasks, of which at most `beginning` began less than `beginMs` milliseconds ago. So few tasks share the
 * processors while they compute, and a slow client does not delay others.
 */
export class StaggeredSlots implements Slots {
  readonly size: number
  readonly #allSlots: Limiter
  readonly #beginning: Limiter
  readonly #beginMs: number

  constructor(size: number, { beginning, beginMs }: { beginning: number; beginMs: number }) {
    this.size = size
    this.#allSlots = new Limiter(size)
    this.#beginning = new Limiter(beginning)
    this.#beginMs = beginMs
  }

  async acquire(signal?: AbortSignal): Promise<() => void> {
    const release = await this.#allSlots.acquire(signal)
    try {
      const releaseBeginning = await this.#beginning.acquire(signal)
      const timer = setTimeout(releaseBeginning, this.#beginMs).unref()
      return () => {
        clearTimeout(timer)
        releaseBeginning()
        release()
      }
    } catch (error) {
      release()
      throw error
    }
  }
}
