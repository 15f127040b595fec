import { Failure } from '../../lib/fail.ts'
import { Limiter } from '../../lib/limiter.ts'

/** Locks by key. One writer holds a key at a time, and the others wait in order of arrival. */
export interface Locks {
  /** Runs `work` while no other work of the same key runs. Not re-entrant: a nested call waits forever. */
  run<T>(key: string, work: () => Promise<T>): Promise<T>
}

/** The client of a request. */
export interface Client {
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal
  /** True for a request that changes nothing. */
  readonly onlyReads: boolean
}

/**
 * The maximum number of clients that write to one repository or wait for its lock, and the maximum time in milliseconds
 * that a client waits.
 */
export interface QueueLimits {
  readonly clients: number
  readonly ms: number
}

export const QUEUE_LIMITS: QueueLimits = { clients: 32, ms: 10_000 }

const BUSY = 'Too many changes of this repository are waiting. Please try again in a moment.'
const RETRY_AFTER_S = 5

/** Creates the error 429 for a change that would have to wait too long. */
export function busy(text: string): Failure {
  return new Failure('too_many', text, {
    body: { message: text },
    headers: { 'Retry-After': String(RETRY_AFTER_S) },
  })
}

export function clientDisconnected(): Failure {
  return new Failure('client_left', 'The client disconnected before its request was answered.')
}

/** The locks of an engine. A key is the key of a repository, optionally followed by a null character and more text. */
export class WriteLocks implements Locks {
  readonly #locks = new Map<string, { readonly limiter: Limiter; users: number }>()
  readonly #clients = new Map<string, number>()

  async run<T>(key: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const lock = this.#locks.get(key) ?? { limiter: new Limiter(1), users: 0 }
    this.#locks.set(key, lock)
    lock.users++
    try {
      const release = await lock.limiter.acquire(signal)
      try {
        return await work()
      } finally {
        release()
      }
    } finally {
      if (--lock.users === 0) this.#locks.delete(key)
    }
  }

  /** The number of clients that write to the repository of a key, or wait for its lock. */
  clientsAt(key: string): number {
    return this.#clients.get(repositoryOf(key)) ?? 0
  }

  /**
   * Counts a client of the repository that the key belongs to, and returns a function that uncounts it. Throws when the
   * repository has too many clients.
   */
  admit(key: string, { clients }: QueueLimits): () => void {
    const repository = repositoryOf(key)
    const count = this.#clients.get(repository) ?? 0
    if (count >= clients) throw busy(BUSY)
    this.#clients.set(repository, count + 1)
    return () => {
      const remaining = this.#clients.get(repository)! - 1
      if (remaining > 0) this.#clients.set(repository, remaining)
      else this.#clients.delete(repository)
    }
  }
}

function repositoryOf(key: string): string {
  return key.split('\0', 1)[0]!
}

/**
 * The locks of one request. It waits for its first lock only while the client is connected, and for a limited time.
 * After that the request has begun, and it waits for other locks without a limit.
 */
export class ClientLocks implements Locks {
  readonly #locks: WriteLocks
  readonly #client: Client
  readonly #patience: QueueLimits
  #hasBegun = false

  constructor(locks: WriteLocks, client: Client, patience: QueueLimits = QUEUE_LIMITS) {
    this.#locks = locks
    this.#client = client
    this.#patience = patience
  }

  get hasBegun(): boolean {
    return this.#hasBegun
  }

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    if (this.#hasBegun) return this.#locks.run(key, work)
    const release = this.#locks.admit(key, this.#patience)
    const waiting = new AbortController()
    const disconnect = (): void => waiting.abort(clientDisconnected())
    const { signal } = this.#client
    if (signal.aborted) disconnect()
    signal.addEventListener('abort', disconnect, { once: true })
    const timer = setTimeout(() => waiting.abort(busy(BUSY)), this.#patience.ms)
    const stopWaiting = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', disconnect)
    }
    try {
      return await this.#locks.run(
        key,
        () => {
          stopWaiting()
          this.#hasBegun = true
          return work()
        },
        waiting.signal,
      )
    } finally {
      stopWaiting()
      release()
    }
  }
}
