import { spawn, type ChildProcess } from 'node:child_process'
import type { Duplex } from 'node:stream'
import { fileURLToPath } from 'node:url'

import { frameHead, FrameReader, jsonOf, KIND, type Command, type Frame, type Kind } from './protocol.ts'
import { RemoteChild } from './remote-child.ts'

/** With less memory the server starts programs fast enough by itself and needs no helper. */
const MIN_MEMORY_BYTES = 100 * 1024 * 1024
const IDLE_MS = 5 * 60_000
/** A helper that takes longer to start a program hangs. */
const START_MS = 20_000
/** Where no helper can be started (unusual packaging), give up after this many attempts. */
const MAX_FAILURES = 3

/**
 * Starts programs through a small helper process. To start a program, Linux copies the page tables of the parent, which
 * blocks it: 1 ms with 50 MB of memory, 13 ms with 160 MB, 34 ms with 370 MB. Other systems do not need the helper.
 *
 * All messages use one connection, so a busy server learns of the start, output and end of a short program in one turn
 * of its event loop.
 */
export class Spawner {
  readonly #options: { minMemoryBytes: number; idleMs: number }
  #helper: ChildProcess | undefined
  #connection: Duplex | undefined
  #isReady = false
  #isClosed = false
  /** Helpers that ended before they were ready. */
  #failures = 0
  #count = 0
  #idle: NodeJS.Timeout | undefined
  readonly #running = new Map<number, RemoteChild>()

  constructor(options: { minMemoryBytes?: number; idleMs?: number } = {}) {
    this.#options = { minMemoryBytes: MIN_MEMORY_BYTES, idleMs: IDLE_MS, ...options }
  }

  /** Process id of the helper, for tests and diagnostics. */
  get pid(): number | undefined {
    return this.#helper?.pid
  }

  /** True when the helper is ready. The first call with enough memory starts it. */
  isReady(): boolean {
    if (this.#isReady || this.#isClosed || process.platform !== 'linux') return this.#isReady
    const hasGivenUp = this.#failures >= MAX_FAILURES
    if (!this.#helper && !hasGivenUp && process.memoryUsage.rss() >= this.#options.minMemoryBytes)
      this.#begin()
    return false
  }

  /** Starts a program; only call it when `isReady()` is true. A failure to start is emitted as `error`. */
  start(command: Command): RemoteChild {
    const run = ++this.#count
    clearTimeout(this.#idle)
    const child = new RemoteChild(command.descriptors ?? 3, (kind, descriptor, content) => {
      if (this.#running.has(run)) this.#send(kind, run, descriptor, content)
    })
    this.#running.set(run, child)
    // A running program keeps this process alive; an idle helper does not.
    if (this.#running.size === 1) refer(this.#connection, true)
    const overdue = setTimeout(() => this.#end(), START_MS).unref()
    const begun = (): void => clearTimeout(overdue)
    child.once('spawn', begun).once('close', () => {
      begun()
      this.#running.delete(run)
      this.#rest()
    })
    this.#send(KIND.start, run, 0, JSON.stringify(command))
    return child
  }

  /** Ends the helper as soon as nothing runs any more. */
  close(): void {
    this.#isClosed = true
    this.#isReady = false
    this.#rest()
  }

  #begin(): void {
    const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
    const file = fileURLToPath(new URL(`./spawner.worker.${extension}`, import.meta.url))
    const helper = spawn(process.execPath, [file], {
      env: { PATH: process.env['PATH'], ELECTRON_RUN_AS_NODE: '1' },
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    })
    // Ignores the end of a helper that was replaced.
    const gone = (): void => void (this.#helper === helper && this.#end())
    helper.once('error', gone)
    helper.once('exit', gone)
    helper.unref()
    const connection = helper.stdio[3] as Duplex
    const frames = new FrameReader()
    connection.on('data', (chunk: Buffer) => {
      for (const frame of frames.push(chunk)) if (this.#helper === helper) this.#receive(frame)
    })
    connection.on('error', gone).once('close', gone)
    refer(connection, false)
    this.#helper = helper
    this.#connection = connection
  }

  #send(kind: Kind, run: number, descriptor: number, content: Buffer | string = ''): void {
    const connection = this.#connection
    if (!connection?.writable) return
    const body = typeof content === 'string' ? Buffer.from(content) : content
    // Messages of one turn leave in one write.
    if (connection.writableCorked === 0) {
      connection.cork()
      process.nextTick(() => connection.uncork())
    }
    connection.write(frameHead(kind, run, descriptor, body.length))
    if (body.length > 0) connection.write(body)
  }

  #receive(frame: Frame): void {
    if (frame.kind === KIND.ready) {
      this.#isReady = !this.#isClosed
      this.#failures = 0
      return
    }
    const child = this.#running.get(frame.run)
    if (!child) return
    if (frame.kind === KIND.data) child.read(frame.descriptor, frame.content)
    else if (frame.kind === KIND.end) child.end(frame.descriptor)
    else if (frame.kind === KIND.taken) child.taken(frame.descriptor, jsonOf(frame))
    else if (frame.kind === KIND.failed) child.failed(frame.content.toString('utf8'))
    else if (frame.kind === KIND.exited) child.ended(jsonOf(frame))
    else if (frame.kind === KIND.started) {
      child.pid = jsonOf(frame)
      child.emit('spawn')
    }
  }

  #rest(): void {
    if (this.#running.size > 0) return
    if (this.#isClosed) return this.#end()
    refer(this.#connection, false)
    clearTimeout(this.#idle)
    this.#idle = setTimeout(() => this.#end(), this.#options.idleMs).unref()
  }

  /** Stops using the helper. Programs that it was running count as lost; the next program starts without it. */
  #end(): void {
    if (!this.#isReady && !this.#isClosed && this.#helper) this.#failures += 1
    const isStuck = this.#running.size > 0
    this.#isReady = false
    clearTimeout(this.#idle)
    const [helper, connection] = [this.#helper, this.#connection]
    this.#helper = undefined
    this.#connection = undefined
    connection?.destroy()
    if (isStuck) helper?.kill('SIGKILL')
    for (const child of Array.from(this.#running.values())) child.lost()
  }
}

/** Sets whether the connection keeps this process alive. */
function refer(connection: Duplex | undefined, keepsAlive: boolean): void {
  const socket = connection as (Duplex & { ref?: () => void; unref?: () => void }) | undefined
  if (keepsAlive) socket?.ref?.()
  else socket?.unref?.()
}
