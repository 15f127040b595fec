/** Slots: each task occupies one while it runs. */
export interface Slots {
  /** The number of slots. */
  readonly size: number
  /** Resolves with the function that releases the slot (a second call does nothing). Rejects when aborted. */
  acquire(signal?: AbortSignal): Promise<() => void>
}

/** After this many tasks of `first` in a row, one of the others runs. */
const IN_A_ROW = 3

/** At most `size` tasks occupy a slot at a time; the others wait in order of arrival. */
export class Limiter implements Slots {
  readonly size: number
  /** The same slots, for short work that a user waits for. It usually goes first. */
  readonly first: Slots
  #held = 0
  #inARow = 0
  readonly #waiting: Array<() => void> = []
  readonly #waitingFirst: Array<() => void> = []

  constructor(size: number) {
    this.size = Math.max(1, size)
    this.first = { size: this.size, acquire: (signal) => this.#acquire(this.#waitingFirst, signal) }
  }

  /** The number of tasks that wait for a slot. */
  get waiting(): number {
    return this.#waiting.length + this.#waitingFirst.length
  }

  acquire(signal?: AbortSignal): Promise<() => void> {
    return this.#acquire(this.#waiting, signal)
  }

  async #acquire(queue: Array<() => void>, signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted()
    if (this.#held >= this.size) await this.#wait(queue, signal)
    else this.#held += 1
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
        signal?.removeEventListener('abort', leave)
        resolve()
      }
      const leave = () => {
        queue.splice(queue.indexOf(enter), 1)
        reject(signal?.reason)
      }
      signal?.addEventListener('abort', leave, { once: true })
      queue.push(enter)
    })
  }

  // The next task gets the slot directly, so that no later one can overtake the queue.
  #release(): void {
    const isOthersTurn = this.#inARow >= IN_A_ROW && this.#waiting.length > 0
    const goesFirst = !isOthersTurn && this.#waitingFirst.length > 0
    this.#inARow = goesFirst ? this.#inARow + 1 : 0
    const next = (goesFirst ? this.#waitingFirst : this.#waiting).shift()
    if (next === undefined) this.#held -= 1
    else next()
  }
}

/** Some of the slots of `all`: work in the background leaves the rest to requests. */
export class Share implements Slots {
  readonly size: number
  readonly #own: Limiter
  readonly #all: Slots

  constructor(all: Slots, size: number) {
    this.size = size
    this.#own = new Limiter(size)
    this.#all = all
  }

  async acquire(signal?: AbortSignal): Promise<() => void> {
    const leaveOwn = await this.#own.acquire(signal)
    try {
      const leave = await this.#all.acquire(signal)
      return () => {
        leave()
        leaveOwn()
      }
    } catch (error) {
      leaveOwn()
      throw error
    }
  }
}

/**
 * `size` slots of which only `beginning` are handed out at a time: a task that has held its slot for `beginMs`
 * milliseconds does not count any more. Fewer tasks share the processors, and a slow client does not hold up others.
 */
export class Staggered implements Slots {
  readonly size: number
  readonly #all: Limiter
  readonly #beginning: Limiter
  readonly #beginMs: number

  constructor(size: number, { beginning, beginMs }: { beginning: number; beginMs: number }) {
    this.size = size
    this.#all = new Limiter(size)
    this.#beginning = new Limiter(beginning)
    this.#beginMs = beginMs
  }

  async acquire(signal?: AbortSignal): Promise<() => void> {
    const leave = await this.#all.acquire(signal)
    try {
      const begun = await this.#beginning.acquire(signal)
      const timer = setTimeout(begun, this.#beginMs).unref()
      return () => {
        clearTimeout(timer)
        begun()
        leave()
      }
    } catch (error) {
      leave()
      throw error
    }
  }
}
