import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'

/** A program that the helper started, with the part of ChildProcess that this folder's neighbours use. */
export class RemoteChild extends EventEmitter {
  pid: number | undefined
  exitCode: number | null = null
  signalCode: NodeJS.Signals | null = null
  readonly #streams: (Socket | undefined)[] = []
  readonly #send: (signal: NodeJS.Signals) => void
  #hasEnded = false

  constructor(send: (signal: NodeJS.Signals) => void) {
    super()
    this.#send = send
  }

  get stdin(): Socket {
    return this.#streams[0]!
  }

  get stdout(): Socket {
    return this.#streams[1]!
  }

  get stderr(): Socket {
    return this.#streams[2]!
  }

  /** True once it runs and can be talked to. */
  get isReady(): boolean {
    return this.pid !== undefined && [0, 1, 2].every((descriptor) => this.#streams[descriptor] !== undefined)
  }

  kill(signal: NodeJS.Signals): boolean {
    if (this.#hasEnded) return false
    this.#send(signal)
    return true
  }

  attach(descriptor: number, socket: Socket): void {
    this.#streams[descriptor] = socket
    // Only one direction of each is used; the end of the other must be noticed all the same.
    if (descriptor === 0) socket.resume()
    else socket.once('end', () => socket.end())
    socket.once('close', () => this.#maybeClose())
  }

  ended(code: number | null, signal: NodeJS.Signals | null): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.exitCode = code
    this.signalCode = signal
    this.#streams[0]?.destroy()
    this.emit('exit', code, signal)
    this.#maybeClose()
  }

  /** Lets go of its input and output. */
  destroy(): void {
    for (const socket of this.#streams) socket?.destroy()
  }

  /** As with every process: over when it is gone and its output is read. */
  #maybeClose(): void {
    // The news of its end may be faster than its connections.
    if (!this.#hasEnded || ![1, 2].every((descriptor) => this.#streams[descriptor]?.closed)) return
    this.emit('close', this.exitCode, this.signalCode)
  }
}
