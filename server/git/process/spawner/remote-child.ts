import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import { PassThrough, pipeline, Readable, Writable } from 'node:stream'

import { isInput, KIND, WINDOW_BYTES, type Command, type ProgramEnd, type Kind } from './protocol.ts'

/** A running program that this process or the helper has started, with the members of ChildProcess that are used. */
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

/** A program that the helper has started or will start. Input that is written before the start is sent in order. */
export class RemoteChild extends EventEmitter implements Program {
  pid: number | undefined
  exitCode: number | null = null
  signalCode: NodeJS.Signals | null = null
  readonly stdio: readonly (Input | Output | PassThrough)[]
  readonly #send: Send
  /** The sockets of a direct program that the helper has handed over, by descriptor. */
  readonly #sockets: Socket[] = []
  #hasEnded = false
  #isClosed = false

  constructor({ descriptors = 3, direct = false }: Pick<Command, 'descriptors' | 'direct'>, send: Send) {
    super()
    this.#send = send
    this.stdio = Array.from({ length: descriptors }, (_one, descriptor) => {
      const stream =
        direct && descriptor < 2
          ? new PassThrough()
          : isInput(descriptor)
            ? new Input(descriptor, send)
            : new Output(descriptor, send)
      if (!isInput(descriptor)) stream.once('close', () => this.#maybeClose())
      return stream
    })
  }

  get stdin(): Writable {
    return this.stdio[0] as Writable
  }

  get stdout(): Readable {
    return this.stdio[1] as Readable
  }

  get stderr(): Readable {
    return this.stdio[2] as Output
  }

  kill(signal: NodeJS.Signals): boolean {
    if (this.#hasEnded) return false
    this.#send(KIND.kill, 0, signal)
    return true
  }

  /** Call it when the program wrote output. */
  receive(descriptor: number, content: Buffer): void {
    const stream = this.stdio[descriptor]
    if (stream instanceof Output) stream.receive(content)
  }

  /** Call it when the program closed a descriptor. */
  close(descriptor: number): void {
    const stream = this.stdio[descriptor]
    if (!(stream instanceof Output)) return void stream?.destroy()
    stream.receive(null)
    if (this.#hasEnded) this.#discardUnread()
  }

  /** Call it when the program consumed input. */
  confirm(descriptor: number, bytes: number): void {
    const stream = this.stdio[descriptor]
    if (stream instanceof Input) stream.confirm(bytes)
  }

  /**
   * Call it with each socket of a direct program, and without a descriptor when the helper has closed its copies. Only
   * then it is safe to write: before, the helper could receive the answer. The socket is missing if the program ended
   * before it was handed over.
   */
  takeOver(descriptor: number | undefined, socket: Socket | undefined): void {
    if (descriptor !== undefined) {
      if (socket) this.#sockets[descriptor] = socket
      return
    }
    const [input, output] = this.#sockets
    const [stdin, stdout] = this.stdio as readonly PassThrough[]
    if (output) connect(output, stdout!)
    else stdout!.end()
    if (!input) return void stdin!.destroy()
    connect(stdin!, input)
    // The program writes nothing here, but a socket closes only when its end was read.
    input.resume()
  }

  /** Call it when the program could not be started. */
  fail(message: string): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.emit('error', new Error(message))
    for (const stream of this.stdio) stream.destroy()
    this.#maybeClose()
  }

  /** Call it when the program ended. */
  exit({ code, signal }: ProgramEnd): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.exitCode = code
    this.signalCode = signal
    this.stdio.forEach((stream, descriptor) => isInput(descriptor) && stream.destroy())
    this.emit('exit', code, signal)
    this.#discardUnread()
    this.#maybeClose()
  }

  /** Call it when the helper died: the state of the program is unknown, and there are no more messages. */
  lose(): void {
    this.exit({ code: null, signal: 'SIGKILL' })
    for (const stream of this.stdio) {
      if (stream instanceof Output) stream.receive(null)
      else stream.destroy()
    }
    for (const socket of this.#sockets) socket?.destroy()
  }

  /** Discards output that nobody reads, so that the streams close. Any reader has started to read by then. */
  #discardUnread(): void {
    setImmediate(() => {
      for (const stream of this.stdio)
        if (stream instanceof Output) stream.discardUnread(this.signalCode !== null)
    })
  }

  /** Emits `close` when the program has ended and its output is read, as every child process does. */
  #maybeClose(): void {
    const isRead = this.stdio.every((stream, descriptor) => isInput(descriptor) || stream.closed)
    if (this.#isClosed || !this.#hasEnded || !isRead) return
    this.#isClosed = true
    this.emit('close', this.exitCode, this.signalCode)
  }
}

/** Passes everything on. When one of both is destroyed, now or later, so is the other. */
function connect(source: PassThrough | Socket, target: PassThrough | Socket): void {
  // The caller sees an error as the end of the program.
  if (!source.destroyed && !target.destroyed) pipeline(source, target, () => {})
  else {
    source.destroy()
    target.destroy()
  }
}

/** An input of the program. */
class Input extends Writable {
  readonly #descriptor: number
  readonly #send: Send
  /** Bytes that were sent and that the program has not consumed yet. */
  #unconfirmed = 0
  /** Continues the write that waits for a confirmation. */
  #resume: (() => void) | undefined

  constructor(descriptor: number, send: Send) {
    super({ highWaterMark: WINDOW_BYTES })
    this.#descriptor = descriptor
    this.#send = send
  }

  confirm(bytes: number): void {
    this.#unconfirmed -= bytes
    if (this.#unconfirmed >= WINDOW_BYTES) return
    const resume = this.#resume
    this.#resume = undefined
    resume?.()
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    const part = chunk.subarray(0, WINDOW_BYTES)
    const rest = chunk.subarray(part.length)
    this.#send(KIND.data, this.#descriptor, part)
    this.#unconfirmed += part.length
    const resume = rest.length === 0 ? done : () => this._write(rest, '', done)
    if (this.#unconfirmed < WINDOW_BYTES) resume()
    else this.#resume = resume
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
  /** Bytes that were read and not yet confirmed to the helper. */
  #readBytes = 0
  /** Bytes in the buffer that nobody has read yet. */
  #waiting = 0
  #hasEnd = false

  constructor(descriptor: number, send: Send) {
    super()
    this.#descriptor = descriptor
    this.#send = send
  }

  receive(content: Buffer | null): void {
    if (this.destroyed) return
    if (content === null) {
      this.#hasEnd = true
      this.push(null)
    } else if (this.push(content)) this.#confirm(content.length)
    else this.#waiting += content.length
  }

  /** Discards output without a reader after the program has ended. Otherwise the stream would never close. */
  discardUnread(wasKilled: boolean): void {
    const isRead = this.readableFlowing !== null || this.listenerCount('readable') > 0
    if (!isRead && (wasKilled || this.readableLength === 0)) this.resume()
  }

  override _read(): void {
    if (this.#waiting === 0) return
    this.#confirm(this.#waiting)
    this.#waiting = 0
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    // When the reader stops early, the next write of the program has to fail.
    if (!this.#hasEnd) this.#send(KIND.end, this.#descriptor)
    done(error)
  }

  #confirm(bytes: number): void {
    this.#readBytes += bytes
    if (this.#readBytes < WINDOW_BYTES / 2 || this.#hasEnd) return
    this.#send(KIND.consumed, this.#descriptor, String(this.#readBytes))
    this.#readBytes = 0
  }
}
