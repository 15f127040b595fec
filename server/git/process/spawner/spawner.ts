import { spawn, type ChildProcess } from 'node:child_process'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { fileURLToPath } from 'node:url'

import { frameHead, FrameReader, jsonOf, KIND } from './protocol.ts'
import type { Command, Frame, Handover, Kind } from './protocol.ts'
import { RemoteChild } from './remote-child.ts'

/** A server with less memory starts programs fast enough itself and needs no helper. */
const MIN_MEMORY_BYTES = 100 * 1024 * 1024
/** The time in milliseconds after which an unused helper is ended. */
const IDLE_MS = 5 * 60_000
/** A helper that takes more milliseconds to start a program counts as hanging. */
const START_MS = 20_000
/** The number of failed attempts after which no helper is started any more (unusual packaging). */
const MAX_FAILURES = 3

/**
 * Starts programs through a small helper process. To start a program, Linux copies the page tables of the parent, which
 * blocks it: 1 ms with 50 MB of memory, 13 ms with 160 MB, 34 ms with 370 MB. Other systems do not need the helper.
 *
 * All messages use one connection, so a busy server receives the start, the output and the end of a short program in one
 * turn of its event loop.
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

  /** True when the helper is ready. The first call of a server with enough memory starts the helper. */
  isReady(): boolean {
    if (this.#isReady || this.#isClosed || process.platform !== 'linux') return this.#isReady
    const hasGivenUp = this.#failures >= MAX_FAILURES
    if (!this.#helper && !hasGivenUp && process.memoryUsage.rss() >= this.#options.minMemoryBytes)
      this.#startHelper()
    return false
  }

  /** Starts a program. Call it only when `isReady()` is true. A failure to start is emitted as `error`. */
  start(command: Command): RemoteChild {
    const run = ++this.#count
    clearTimeout(this.#idle)
    const child = new RemoteChild(command, (kind, descriptor, content) => {
      if (this.#running.has(run)) this.#send(kind, run, descriptor, content)
    })
    this.#running.set(run, child)
    // A running program keeps this process alive; an idle helper does not.
    if (this.#running.size === 1) setKeepsAlive(this.#connection, true)
    const startTimer = setTimeout(() => this.#dropHelper(), START_MS).unref()
    const clearStartTimer = (): void => clearTimeout(startTimer)
    child.once('spawn', clearStartTimer).once('close', () => {
      clearStartTimer()
      this.#running.delete(run)
      this.#endWhenIdle()
    })
    this.#send(KIND.start, run, 0, JSON.stringify(command))
    return child
  }

  /** Ends the helper when no program runs any more. */
  close(): void {
    this.#isClosed = true
    this.#isReady = false
    this.#endWhenIdle()
  }

  #startHelper(): void {
    const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
    const file = fileURLToPath(new URL(`./spawner.worker.${extension}`, import.meta.url))
    const helper = spawn(process.execPath, [file], {
      env: { PATH: process.env['PATH'], ELECTRON_RUN_AS_NODE: '1' },
      stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'ipc'],
    })
    // The end of a helper that was replaced is ignored.
    const onEnd = (): void => void (this.#helper === helper && this.#dropHelper())
    helper.once('error', onEnd)
    helper.once('exit', onEnd)
    helper.on('message', (message, socket) => {
      const { run, descriptor } = message as Handover
      const child = this.#running.get(run)
      if (child) child.takeOver(descriptor, socket as Socket | undefined)
      else (socket as Socket | undefined)?.destroy()
    })
    helper.unref()
    helper.channel?.unref()
    const connection = helper.stdio[3] as Duplex
    const frames = new FrameReader()
    connection.on('data', (chunk: Buffer) => {
      for (const frame of frames.push(chunk)) if (this.#helper === helper) this.#receive(frame)
    })
    connection.on('error', onEnd).once('close', onEnd)
    setKeepsAlive(connection, false)
    this.#helper = helper
    this.#connection = connection
  }

  #send(kind: Kind, run: number, descriptor: number, content: Buffer | string = ''): void {
    const connection = this.#connection
    if (!connection?.writable) return
    const body = typeof content === 'string' ? Buffer.from(content) : content
    // All messages of one turn of the event loop are sent in one write.
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
    if (frame.kind === KIND.data) child.receive(frame.descriptor, frame.content)
    else if (frame.kind === KIND.end) child.close(frame.descriptor)
    else if (frame.kind === KIND.consumed) child.confirm(frame.descriptor, jsonOf(frame))
    else if (frame.kind === KIND.failed) child.fail(frame.content.toString('utf8'))
    else if (frame.kind === KIND.exited) child.exit(jsonOf(frame))
    else if (frame.kind === KIND.started) {
      child.pid = jsonOf(frame)
      child.emit('spawn')
    }
  }

  #endWhenIdle(): void {
    if (this.#running.size > 0) return
    if (this.#isClosed) return this.#dropHelper()
    setKeepsAlive(this.#connection, false)
    clearTimeout(this.#idle)
    this.#idle = setTimeout(() => this.#dropHelper(), this.#options.idleMs).unref()
  }

  /** Stops using the helper. Its running programs count as killed; the next program starts without a helper. */
  #dropHelper(): void {
    if (!this.#isReady && !this.#isClosed && this.#helper) this.#failures += 1
    const isStuck = this.#running.size > 0
    this.#isReady = false
    clearTimeout(this.#idle)
    const [helper, connection] = [this.#helper, this.#connection]
    this.#helper = undefined
    this.#connection = undefined
    connection?.destroy()
    if (isStuck) helper?.kill('SIGKILL')
    for (const child of Array.from(this.#running.values())) child.lose()
  }
}

/** Sets whether the connection keeps this process alive. */
function setKeepsAlive(connection: Duplex | undefined, keepsAlive: boolean): void {
  const socket = connection as (Duplex & { ref?: () => void; unref?: () => void }) | undefined
  if (keepsAlive) socket?.ref?.()
  else socket?.unref?.()
}
