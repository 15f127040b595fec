import { fork, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { createServer, type Server, type Socket } from 'node:net'
import { fileURLToPath } from 'node:url'

import { GREETING_LENGTH, SECRET_LENGTH, type Report, type Request } from './protocol.ts'
import { RemoteChild } from './remote-child.ts'

/** The helper could not start the program: it certainly does not run. */
export class NotStarted extends Error {
  override readonly name = 'NotStarted'
}

export type Command = Omit<Extract<Request, { run: number }>, 'run'>

/** Below this the process starts programs fast enough by itself, and the memory for a helper is better saved. */
const WORTH_IT_BYTES = 100 * 1024 * 1024
const IDLE_MS = 5 * 60_000
/** Who connects and says nothing is none of ours. */
const GREETING_MS = 5000
/** A helper that takes longer to start a program hangs. */
const START_MS = 20_000
/** Where no helper can be started (a strange packaging), it is not tried for ever. */
const MAX_FAILURES = 3

interface Pending {
  readonly child: RemoteChild
  readonly resolve: (child: RemoteChild) => void
  readonly reject: (error: Error) => void
}

/**
 * Starts programs through a small process. To start one, Linux copies the page tables of the process that does it, which
 * holds everybody up: 1 ms with 50 MB of memory, 13 ms with 160 MB, 34 ms with 370 MB. On other systems it is not needed.
 */
export class Spawner {
  readonly #options: { worthItBytes: number; idleMs: number }
  #helper: ChildProcess | undefined
  #server: Server | undefined
  #isReady = false
  #isClosed = false
  /** Helpers that ended before they were of use. */
  #failures = 0
  #count = 0
  #idle: NodeJS.Timeout | undefined
  readonly #pending = new Map<number, Pending>()
  readonly #running = new Map<number, RemoteChild>()

  constructor(options: { worthItBytes?: number; idleMs?: number } = {}) {
    this.#options = { worthItBytes: WORTH_IT_BYTES, idleMs: IDLE_MS, ...options }
  }

  /** Process id of the helper, for tests and diagnostics. */
  get pid(): number | undefined {
    return this.#helper?.pid
  }

  /** True when `start` would use the helper; where it is worth it, the first question has it started. */
  isReady(): boolean {
    if (this.#isReady || this.#isClosed || process.platform !== 'linux') return this.#isReady
    const isHopeless = this.#failures >= MAX_FAILURES
    if (!this.#server && !isHopeless && process.memoryUsage.rss() >= this.#options.worthItBytes) this.#begin()
    return false
  }

  /** Starts a program. Rejects when that is not possible, with NotStarted where somebody else may try. */
  start(command: Command): Promise<RemoteChild> {
    const run = ++this.#count
    clearTimeout(this.#idle)
    // What waits for it keeps this process alive; the helper alone does not.
    this.#helper?.channel?.ref()
    return new Promise((resolve, reject) => {
      const child = new RemoteChild((signal) => this.#send({ kill: run, signal }))
      this.#pending.set(run, { child, resolve, reject })
      const overdue = setTimeout(() => this.#pending.has(run) && this.#end(), START_MS).unref()
      child.once('close', () => {
        clearTimeout(overdue)
        this.#running.delete(run)
        this.#rest()
      })
      this.#send({ run, ...command })
    })
  }

  /** Ends the helper as soon as nothing runs any more. */
  close(): void {
    this.#isClosed = true
    this.#isReady = false
    this.#rest()
  }

  #begin(): void {
    const secret = randomBytes(SECRET_LENGTH / 2).toString('hex')
    // A name without a file: there is no folder whose path could be too long, and nothing to remove.
    const path = `\0deskforge-${process.pid}-${randomBytes(8).toString('hex')}`
    const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (socket) => {
      this.#greet(socket, secret)
    })
    server.unref().on('error', () => this.#end())
    server.listen(path, () => {
      const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
      const file = fileURLToPath(new URL(`./spawner.worker.${extension}`, import.meta.url))
      const helper = fork(file, [], {
        execArgv: [],
        env: { PATH: process.env['PATH'], ELECTRON_RUN_AS_NODE: '1' },
        stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      })
      helper.on('message', (report: Report) => this.#hear(report))
      // The end of one that was replaced means nothing.
      const gone = (): void => void (this.#helper === helper && this.#end())
      helper.once('error', gone)
      helper.once('exit', gone)
      helper.unref()
      helper.channel?.unref()
      this.#helper = helper
      this.#send({ path, secret })
    })
    this.#server = server
  }

  #send(request: Request): void {
    if (this.#helper?.connected) this.#helper.send(request, (error) => error && this.#end())
    else this.#end()
  }

  #greet(socket: Socket, secret: string): void {
    socket.on('error', () => {})
    socket.setTimeout(GREETING_MS, () => socket.destroy())
    const read = (): void => {
      const text = (socket.read(GREETING_LENGTH) as Buffer | null)?.toString('latin1')
      if (text === undefined) return void socket.once('readable', read)
      const run = Number(text.slice(SECRET_LENGTH, -1))
      const pending = this.#pending.get(run)
      if (!text.startsWith(secret) || !pending) return void socket.destroy()
      socket.setTimeout(0)
      pending.child.attach(Number(text.at(-1)), socket)
      this.#settle(run)
    }
    read()
  }

  #hear(report: Report): void {
    if ('ready' in report) this.#isReady = !this.#isClosed
    else if ('started' in report) {
      const pending = this.#pending.get(report.started)
      if (pending) pending.child.pid = report.pid
      this.#settle(report.started)
    } else if ('failed' in report) {
      const pending = this.#pending.get(report.failed)
      this.#pending.delete(report.failed)
      this.#failures += 1
      pending?.reject(new NotStarted(report.message))
      if (this.#failures >= MAX_FAILURES) this.#end()
      else this.#rest()
    } else {
      const child = this.#running.get(report.exited) ?? this.#pending.get(report.exited)?.child
      child?.ended(report.code, report.signal)
    }
  }

  #settle(run: number): void {
    const pending = this.#pending.get(run)
    if (!pending?.child.isReady) return
    this.#pending.delete(run)
    this.#running.set(run, pending.child)
    this.#failures = 0
    pending.resolve(pending.child)
  }

  #rest(): void {
    if (this.#running.size + this.#pending.size > 0) return
    if (this.#isClosed) return this.#end()
    this.#helper?.channel?.unref()
    clearTimeout(this.#idle)
    this.#idle = setTimeout(() => this.#end(), this.#options.idleMs).unref()
  }

  /** The helper is gone or must go: what it had under way is lost, and the next program is started without it. */
  #end(): void {
    if (!this.#isReady && !this.#isClosed && this.#server) this.#failures += 1
    this.#isReady = false
    clearTimeout(this.#idle)
    if (this.#helper?.connected) this.#helper.disconnect()
    this.#helper = undefined
    this.#server?.close()
    this.#server = undefined
    const pending = [...this.#pending.values()]
    const running = [...this.#running.values()]
    this.#pending.clear()
    this.#running.clear()
    for (const { child, reject } of pending) {
      child.destroy()
      reject(new Error('The helper that starts programs ended.'))
    }
    for (const child of running) {
      child.destroy()
      child.ended(null, 'SIGKILL')
    }
  }
}
