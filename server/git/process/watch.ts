import type { Readable } from 'node:stream'
import type { Args } from '../args.ts'
import { GitError } from '../errors.ts'
import type { Program } from './spawner/remote-child.ts'

interface WatchOptions {
  readonly ok?: readonly number[]
  readonly timeoutMs: number
  readonly signal?: AbortSignal
  /** The process leads a group; see RunOptions. */
  readonly group?: boolean
}

const MAX_STDERR_BYTES = 64 * 1024
/** How long git may take to clean up after a polite request to end. */
const KILL_AFTER_MS = 3000

/** Asks the process to end, and insists when it does not. Git removes its temporary files on the first signal. */
export function endProcess(child: Program): void {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  const insist = setTimeout(() => child.kill('SIGKILL'), KILL_AFTER_MS)
  child.once('exit', () => clearTimeout(insist))
}

/** The same for a process that leads a group: whatever it started is asked as well, and outlives nothing. */
function endGroup(child: Program): void {
  const signal = (name: 'SIGTERM' | 'SIGKILL') => {
    try {
      process.kill(-child.pid!, name)
    } catch {
      // All are gone.
    }
  }
  signal('SIGTERM')
  const insist = setTimeout(() => signal('SIGKILL'), KILL_AFTER_MS)
  child.once('close', () => clearTimeout(insist))
}

/** Follows one process to its end: time limit, abort, error output, and what the exit code means. */
export class Watch {
  readonly done: Promise<{ code: number | null; stderr: string }>
  readonly closed: Promise<void>
  readonly #child: Program
  readonly #end: () => void
  #isStopped = false

  constructor(child: Program, operation: string, args: Args, options: WatchOptions) {
    this.#child = child
    this.#end = () => (options.group && child.pid !== undefined ? endGroup(child) : endProcess(child))
    const { promise: closed, resolve: close } = Promise.withResolvers<void>()
    this.closed = closed
    let isTimedOut = false
    let failure: Error | null = null
    const stderr = collectTail(child.stderr!)
    const timer = setTimeout(() => {
      isTimedOut = true
      this.#end()
    }, options.timeoutMs)
    const onAbort = () => this.#end()
    options.signal?.addEventListener('abort', onAbort, { once: true })
    if (options.signal?.aborted) onAbort()
    child.stdout!.once('close', () => {
      // Output that ends with its program was not left by its reader.
      if (!child.stdout!.readableEnded && child.signalCode === null) this.stop()
    })
    child.once('error', (error) => (failure = error))
    child.once('close', () => {
      clearTimeout(timer)
      options.signal?.removeEventListener('abort', onAbort)
      close()
    })
    this.done = closed.then(() => {
      const details = { operation, args: args.words, code: child.exitCode, stderr: stderr() }
      if (failure !== null && child.pid === undefined) {
        throw new GitError({ ...details, reason: 'spawn', stderr: failure.message })
      }
      if (options.signal?.aborted) throw options.signal.reason
      if (isTimedOut) throw new GitError({ ...details, reason: 'timeout' })
      if (this.#isStopped) return { code: child.exitCode, stderr: stderr() }
      if (child.exitCode === null) throw new GitError({ ...details, reason: 'killed' })
      if (!(options.ok ?? [0]).includes(child.exitCode)) throw new GitError({ ...details, reason: 'exit' })
      return { code: child.exitCode, stderr: stderr() }
    })
    // Nobody may be listening yet, or ever when the reader left early.
    this.done.catch(() => {})
  }

  stop(): void {
    this.#isStopped = true
    this.#child.stdout!.destroy()
    this.#end()
  }
}

function collectTail(source: Readable): () => string {
  const chunks: Buffer[] = []
  let size = 0
  source.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    size += chunk.length
    while (size - chunks[0]!.length > MAX_STDERR_BYTES) size -= chunks.shift()!.length
  })
  return () => Buffer.concat(chunks).toString('utf8').trim()
}
