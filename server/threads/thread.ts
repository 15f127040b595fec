import { Worker } from 'node:worker_threads'

import type { Failed, FromThread, ToThread, Work } from './messages.ts'

/**
 * The reason why a thread has no result. `refused` and `failed`: the work threw an error; `ended`: the thread ended by
 * itself; `memory`, `late`: it exceeded its limit of memory or time; `busy`: it was stopped because other tasks wait.
 */
export type ThreadErrorReason = Failed['why'] | 'ended' | 'memory' | 'late' | 'busy'

/** The failure of a task. If the thread threw an error, `stack` is the stack of that error. */
export class ThreadError extends Error {
  readonly why: ThreadErrorReason
  readonly code: string | undefined

  constructor(why: ThreadErrorReason, message: string, { stack, code }: Partial<Failed> = {}) {
    super(message)
    this.why = why
    this.code = code
    if (stack !== undefined) this.stack = stack
  }
}

/** How the main thread follows a running task. */
export interface TaskOptions<W extends Work> {
  readonly onReport?: ((report: W['report']) => void) | undefined
  /** Answers a question of the thread. If it throws, the task ends with that error. */
  readonly onQuestion?: ((question: W['question']) => W['answer'] | Promise<W['answer']>) | undefined
  /** Aborts the task with the reason of the signal. */
  readonly signal?: AbortSignal | undefined
  readonly timeoutMs?: number | undefined
}

/**
 * Returns the file of a thread. `name` is the path of its `.worker.ts` file relative to the calling module, without the
 * extension. A build puts all worker files into one folder.
 */
export function workerFile(module: string, name: string): URL {
  const [last] = name.split('/').slice(-1)
  return module.endsWith('.ts')
    ? new URL(`${name}.worker.ts`, module)
    : new URL(`./${last}.worker.js`, module)
}

/** A worker thread. It runs one task after another and does not keep the process alive. */
export class Thread<W extends Work> {
  readonly #worker: Worker
  #receive: ((message: FromThread<W>) => void) | undefined
  #reject: ((error: unknown) => void) | undefined
  /** Whether the thread accepts no further task. */
  isClosed = false

  constructor(file: URL, memoryMb?: number) {
    this.#worker = new Worker(
      file,
      memoryMb === undefined ? {} : { resourceLimits: { maxOldGenerationSizeMb: memoryMb } },
    )
    this.#worker.unref()
    this.#worker.on('message', (message: FromThread<W>) => this.#receive?.(message))
    this.#worker.on('error', (error: NodeJS.ErrnoException) => {
      const { message, stack = '', code } = error
      const why = code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'memory' : 'failed'
      this.#fail(new ThreadError(why, message, { stack, code }))
    })
    this.#worker.on('exit', () =>
      this.#fail(new ThreadError('ended', 'The thread ended before it was done.')),
    )
  }

  /**
   * Runs a task. Rejects with ThreadError, the reason of the signal, or the error of `onQuestion`. The caller then ends
   * the thread.
   */
  async run(
    task: W['task'],
    { onReport, onQuestion, signal, timeoutMs }: TaskOptions<W> = {},
  ): Promise<W['result']> {
    signal?.throwIfAborted()
    if (this.isClosed) throw new ThreadError('ended', 'The thread has ended.')
    const { promise, resolve, reject } = Promise.withResolvers<W['result']>()
    this.#reject = reject
    this.#receive = (message) => {
      if (message.kind === 'done') resolve(message.result)
      else if (message.kind === 'failed') reject(new ThreadError(message.why, message.message, message))
      else if (message.kind === 'report') rejectOnError(() => onReport?.(message.report), reject)
      else
        Promise.resolve(message.question)
          .then((question) => onQuestion?.(question))
          .then((answer) => this.#send({ kind: 'answer', id: message.id, answer }))
          .catch(reject)
    }
    const abort = (): void => reject(signal?.reason)
    signal?.addEventListener('abort', abort, { once: true })
    const timer = timeoutMs === undefined ? undefined : setTimeout(rejectLate, timeoutMs, reject)
    try {
      this.#send({ kind: 'task', task })
      return await promise
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
      this.#receive = this.#reject = undefined
    }
  }

  /** Ends the thread, even while it works. */
  async end(): Promise<void> {
    this.isClosed = true
    await this.#worker.terminate()
  }

  #send(message: ToThread<W>): void {
    this.#worker.postMessage(message)
  }

  #fail(error: ThreadError): void {
    this.isClosed = true
    this.#reject?.(error)
  }
}

function rejectOnError(work: () => void, onError: (error: unknown) => void): void {
  try {
    work()
  } catch (error) {
    onError(error)
  }
}

const rejectLate = (reject: (error: Error) => void): void =>
  reject(new ThreadError('late', 'The thread exceeded its time limit.'))

/** The limits of a thread, and the error for a refused task. */
export interface RunOptions<W extends Work> extends TaskOptions<W> {
  readonly memoryMb?: number
  /** The class of the error to throw when the thread refuses the task with a declared error (`problems` of `serve`). */
  readonly problem?: new (sentence: string) => Error
}

/** Runs one task in a new thread, which then ends. */
export async function runInThread<W extends Work>(
  file: URL,
  task: W['task'],
  { memoryMb, problem: Problem, ...options }: RunOptions<W> = {},
): Promise<W['result']> {
  options.signal?.throwIfAborted()
  const thread = new Thread<W>(file, memoryMb)
  try {
    return await thread.run(task, options)
  } catch (error) {
    if (Problem && error instanceof ThreadError && error.why === 'refused')
      throw Object.assign(new Problem(error.message), { stack: error.stack })
    throw error
  } finally {
    await thread.end()
  }
}
