import type { Readable } from 'node:stream'
import type { Args } from '../args.ts'
import { GitError } from '../errors.ts'
import type { Program } from './spawner/remote-child.ts'

interface WatchOptions {
  readonly ok?: readonly number[]
  readonly timeoutMs: number
  readonly signal?: AbortSignal
  /** True if the process leads a process group; see RunOptions. */
  readonly group?: boolean
}

const MAX_STDERR_BYTES = 64 * 1024
/** The time in milliseconds that git gets to clean up after SIGTERM. */
const KILL_AFTER_MS = 3000

/** Sends SIGTERM, and SIGKILL if the process continues. On SIGTERM git removes its temporary files. */
export function endProcess(child: Program): void {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  const killTimer = setTimeout(() => child.kill('SIGKILL'), KILL_AFTER_MS)
  child.once('exit', () => clearTimeout(killTimer))
}

/** Like endProcess, for a process and all programs that it started. */
function endGroup(child: Program): void {
  const signal = (name: 'SIGTERM' | 'SIGKILL') => {
    try {
      process.kill(-child.pid!, name)
    } catch {
      // No process of the group is left.
    }
  }
  signal('SIGTERM')
  const killTimer = setTimeout(() => signal('SIGKILL'), KILL_AFTER_MS)
  child.once('close', () => clearTimeout(killTimer))
}

/** Watches one process until its end: its time limit, aborts, its error output and its exit code. */
export class ProcessWatch {
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
      // If the stream closes without its end, the reader has destroyed it.
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
    // The caller may attach its handler later, or never if it stops reading early.
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
