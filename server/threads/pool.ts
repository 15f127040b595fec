import { Limiter } from '../lib/limiter.ts'
import type { Work } from './messages.ts'
import { type TaskOptions, Thread, ThreadError } from './thread.ts'

interface PoolOptions {
  /** The maximum number of threads that work at the same time. Each uses one processor. */
  readonly threads: number
  readonly memoryMb?: number
  /** The time in milliseconds that a thread waits for the next task. Without it a thread ends after one task. */
  readonly idleMs?: number
  /** The maximum number of waiting tasks. Further ones are refused as `busy`. */
  readonly maxWaiting?: number
  readonly timeoutMs?: number
  /** The time limit of a task while other tasks wait. After it the task ends as `busy`. */
  readonly shareMs?: number
}

/** The interval in milliseconds at which the pool checks the duration of tasks. */
const CHECK_MS = 250

/** A pool of threads of one kind. Tasks run in the order in which they were added. */
export class ThreadPool<W extends Work> {
  readonly #file: URL
  readonly #options: PoolOptions
  readonly #slots: Limiter
  readonly #idle: { readonly thread: Thread<W>; readonly timer: NodeJS.Timeout }[] = []

  constructor(file: URL, options: PoolOptions) {
    this.#file = file
    this.#options = options
    this.#slots = new Limiter(options.threads)
  }

  /** Runs a task. Rejects as `Thread.run` does. */
  run(task: W['task'], options: Omit<TaskOptions<W>, 'timeoutMs'> = {}): Promise<W['result']> {
    return this.use(async (thread) => {
      const limit = new AbortController()
      const timer = this.#watch(limit)
      const signal = options.signal ? AbortSignal.any([options.signal, limit.signal]) : limit.signal
      try {
        return await thread.run(task, { ...options, signal })
      } finally {
        clearInterval(timer)
      }
    }, options.signal)
  }

  /** Reserves a thread for several tasks. */
  async use<T>(work: (thread: Thread<W>) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const { thread, release } = await this.take(signal)
    let isReusable = false
    try {
      const result = await work(thread)
      isReusable = true
      return result
    } finally {
      await release(isReusable)
    }
  }

  /** Reserves a thread until `release` is called. `isReusable` says whether it can run further tasks. */
  async take(
    signal?: AbortSignal,
  ): Promise<{ thread: Thread<W>; release(isReusable: boolean): Promise<void> }> {
    if (this.#slots.waiting > (this.#options.maxWaiting ?? Infinity))
      throw new ThreadError('busy', 'Too many tasks wait for a thread.')
    const releaseSlot = await this.#slots.acquire(signal)
    const thread = this.#idleThread() ?? new Thread<W>(this.#file, this.#options.memoryMb)
    const release = async (isReusable: boolean): Promise<void> => {
      try {
        if (isReusable && this.#options.idleMs !== undefined) this.#addIdle(thread, this.#options.idleMs)
        else await thread.end()
      } finally {
        releaseSlot()
      }
    }
    return { thread, release }
  }

  #watch(limit: AbortController): NodeJS.Timeout {
    const { timeoutMs = Infinity, shareMs = Infinity } = this.#options
    const startedAt = performance.now()
    return setInterval(() => {
      const elapsed = performance.now() - startedAt
      if (elapsed >= timeoutMs) limit.abort(new ThreadError('late', 'The thread exceeded its time limit.'))
      else if (elapsed > shareMs && this.#slots.waiting > 0)
        limit.abort(new ThreadError('busy', 'The task was stopped because other tasks wait.'))
    }, CHECK_MS)
  }

  #idleThread(): Thread<W> | undefined {
    for (let entry = this.#idle.pop(); entry; entry = this.#idle.pop()) {
      clearTimeout(entry.timer)
      if (!entry.thread.isClosed) return entry.thread
    }
    return undefined
  }

  #addIdle(thread: Thread<W>, idleMs: number): void {
    const end = (): void => {
      const index = this.#idle.findIndex((entry) => entry.thread === thread)
      if (index >= 0) this.#idle.splice(index, 1)
      void thread.end()
    }
    this.#idle.push({ thread, timer: setTimeout(end, idleMs).unref() })
  }
}
