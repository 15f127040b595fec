/** Places that have to be held while something runs. */
export interface Places {
  /** How many there are. */
  readonly size: number
  /** Resolves with the function that gives the place back (calling it twice is harmless). Rejects when aborted. */
  acquire(signal?: AbortSignal): Promise<() => void>
}

/** Lets at most `size` holders in at a time, the others wait in order of arrival. */
export class Limiter implements Places {
  readonly size: number
  #held = 0
  readonly #waiting: Array<() => void> = []

  constructor(size: number) {
    this.size = Math.max(1, size)
  }

  async acquire(signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted()
    if (this.#held >= this.size) await this.#wait(signal)
    else this.#held += 1
    let isReleased = false
    return () => {
      if (isReleased) return
      isReleased = true
      this.#release()
    }
  }

  #wait(signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const enter = () => {
        signal?.removeEventListener('abort', leave)
        resolve()
      }
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(enter), 1)
        reject(signal?.reason)
      }
      signal?.addEventListener('abort', leave, { once: true })
      this.#waiting.push(enter)
    })
  }

  // A place is handed on directly, so that nobody who comes later can overtake the queue.
  #release(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#held -= 1
    else next()
  }
}

/** Some of the places of others, for those who must leave the rest to whoever is waited for. */
export class Share implements Places {
  readonly size: number
  readonly #own: Limiter
  readonly #all: Places

  constructor(all: Places, size: number) {
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
