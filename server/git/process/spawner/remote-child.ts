import { EventEmitter } from 'node:events'
import { Readable, Writable } from 'node:stream'

import { isInput, KIND, WINDOW_BYTES, type ProgramEnd, type Kind } from './protocol.ts'

/** A running program, started by this process or by the helper: the part of ChildProcess that is used. */
export interface Program extends EventEmitter {
  readonly pid?: number | undefined
  readonly exitCode: number | null
  readonly signalCode: NodeJS.Signals | null
  readonly stdin: Writable | null
  readonly stdout: Readable | null
  readonly stderr: Readable | null
  readonly stdio: readonly (Readable | Writable | null | undefined)[]
  kill(signal: NodeJS.Signals): boolean
}

type Send = (kind: Kind, descriptor: number, content?: Buffer | string) => void

/** A program that the helper has started or will start. Input written before the start is kept in order. */
export class RemoteChild extends EventEmitter implements Program {
  pid: number | undefined
  exitCode: number | null = null
  signalCode: NodeJS.Signals | null = null
  readonly stdio: readonly (Input | Output)[]
  readonly #send: Send
  #hasEnded = false
  #isClosed = false

  constructor(descriptors: number, send: Send) {
    super()
    this.#send = send
    this.stdio = Array.from({ length: descriptors }, (_one, descriptor) => {
      const stream = isInput(descriptor) ? new Input(descriptor, send) : new Output(descriptor, send)
      if (!isInput(descriptor)) stream.once('close', () => this.#maybeClose())
      return stream
    })
  }

  get stdin(): Writable {
    return this.stdio[0] as Input
  }

  get stdout(): Readable {
    return this.stdio[1] as Output
  }

  get stderr(): Readable {
    return this.stdio[2] as Output
  }

  kill(signal: NodeJS.Signals): boolean {
    if (this.#hasEnded) return false
    this.#send(KIND.kill, 0, signal)
    return true
  }

  /** The program wrote output. */
  read(descriptor: number, content: Buffer): void {
    const stream = this.stdio[descriptor]
    if (stream instanceof Output) stream.arrive(content)
  }

  /** The program closed a descriptor. */
  end(descriptor: number): void {
    const stream = this.stdio[descriptor]
    if (!(stream instanceof Output)) return void stream?.destroy()
    stream.arrive(null)
    if (this.#hasEnded) this.#letGo()
  }

  /** The program consumed input. */
  taken(descriptor: number, bytes: number): void {
    const stream = this.stdio[descriptor]
    if (stream instanceof Input) stream.taken(bytes)
  }

  /** The program could not be started. */
  failed(message: string): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.emit('error', new Error(message))
    for (const stream of this.stdio) stream.destroy()
    this.#maybeClose()
  }

  ended({ code, signal }: ProgramEnd): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.exitCode = code
    this.signalCode = signal
    for (const stream of this.stdio) if (stream instanceof Input) stream.destroy()
    this.emit('exit', code, signal)
    this.#letGo()
    this.#maybeClose()
  }

  /** The helper died, so the state of the program is unknown and no more messages come. */
  lost(): void {
    this.ended({ code: null, signal: 'SIGKILL' })
    for (const stream of this.stdio) if (stream instanceof Output) stream.arrive(null)
  }

  /** Does not wait for the end of output that nobody reads. A reader has begun to read by then. */
  #letGo(): void {
    setImmediate(() => {
      for (const stream of this.stdio) if (stream instanceof Output) stream.letGo(this.signalCode !== null)
    })
  }

  /** Like every child process: closed when it has ended and its output is read. */
  #maybeClose(): void {
    const isRead = this.stdio.every((stream) => !(stream instanceof Output) || stream.closed)
    if (this.#isClosed || !this.#hasEnded || !isRead) return
    this.#isClosed = true
    this.emit('close', this.exitCode, this.signalCode)
  }
}

/** An input of the program. */
class Input extends Writable {
  readonly #descriptor: number
  readonly #send: Send
  #underWay = 0
  #onTaken: (() => void) | undefined

  constructor(descriptor: number, send: Send) {
    super({ highWaterMark: WINDOW_BYTES })
    this.#descriptor = descriptor
    this.#send = send
  }

  taken(bytes: number): void {
    this.#underWay -= bytes
    if (this.#underWay >= WINDOW_BYTES) return
    const goOn = this.#onTaken
    this.#onTaken = undefined
    goOn?.()
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    const part = chunk.subarray(0, WINDOW_BYTES)
    const rest = chunk.subarray(part.length)
    this.#send(KIND.data, this.#descriptor, part)
    this.#underWay += part.length
    const goOn = rest.length === 0 ? done : () => this._write(rest, '', done)
    if (this.#underWay < WINDOW_BYTES) goOn()
    else this.#onTaken = goOn
  }

  override _final(done: () => void): void {
    this.#send(KIND.end, this.#descriptor)
    done()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    if (!this.writableFinished) this.#send(KIND.end, this.#descriptor)
    done(error)
  }
}

/** An output of the program. */
class Output extends Readable {
  readonly #descriptor: number
  readonly #send: Send
  /** Bytes that were handed on and not yet confirmed to the helper. */
  #handedOn = 0
  /** Bytes in the buffer that nobody has read. */
  #waiting = 0
  #isOver = false

  constructor(descriptor: number, send: Send) {
    super()
    this.#descriptor = descriptor
    this.#send = send
  }

  arrive(content: Buffer | null): void {
    if (this.destroyed) return
    if (content === null) {
      this.#isOver = true
      this.push(null)
    } else if (this.push(content)) this.#handOn(content.length)
    else this.#waiting += content.length
  }

  /** Called after the program has ended: without a reader, nobody would notice the end of its output. */
  letGo(wasKilled: boolean): void {
    const isRead = this.readableFlowing !== null || this.listenerCount('readable') > 0
    if (!isRead && (wasKilled || this.readableLength === 0)) this.resume()
  }

  override _read(): void {
    if (this.#waiting === 0) return
    this.#handOn(this.#waiting)
    this.#waiting = 0
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    // When the reader stops early, the program has to notice at its next write.
    if (!this.#isOver) this.#send(KIND.end, this.#descriptor)
    done(error)
  }

  #handOn(bytes: number): void {
    this.#handedOn += bytes
    if (this.#handedOn < WINDOW_BYTES / 2 || this.#isOver) return
    this.#send(KIND.taken, this.#descriptor, String(this.#handedOn))
    this.#handedOn = 0
  }
}
