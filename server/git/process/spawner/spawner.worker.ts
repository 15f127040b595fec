import { spawn, type ChildProcess } from 'node:child_process'
import { Socket } from 'node:net'
import { setPriority } from 'node:os'
import type { Readable, Writable } from 'node:stream'

import { frameHead, FrameReader, isInput, jsonOf, KIND, WINDOW_BYTES } from './protocol.ts'
import type { Command, Frame, Handover, Kind } from './protocol.ts'

/** Sends messages to the server, which this helper starts programs for. */
class Channel {
  readonly #connection: Socket

  constructor(connection: Socket) {
    this.#connection = connection
  }

  send(kind: Kind, run: number, descriptor = 0, content: Buffer | string = ''): void {
    const body = typeof content === 'string' ? Buffer.from(content) : content
    if (this.#connection.writableCorked === 0) {
      this.#connection.cork()
      setImmediate(() => this.#connection.uncork())
    }
    this.#connection.write(frameHead(kind, run, descriptor, body.length))
    if (body.length > 0) this.#connection.write(body)
  }
}

/** A started program and its descriptors. Each descriptor has a limit of unconfirmed bytes. */
class RunningProgram {
  readonly child: ChildProcess
  readonly #run: number
  readonly #channel: Channel
  /** By descriptor: the bytes that were passed on and not confirmed yet. */
  readonly #unconfirmed: number[]

  /** @param onEnd called when the program has ended and its descriptors are closed, or when it could not be started */
  constructor(run: number, command: Command, channel: Channel, onEnd: () => void) {
    const { file, args, cwd, env, descriptors = 3, group = false, nice, direct = false } = command
    this.#run = run
    this.#channel = channel
    this.#unconfirmed = Array.from({ length: descriptors }, () => 0)
    const stdio = this.#unconfirmed.map(() => 'pipe' as const)
    this.child = spawn(file, args, { cwd, env, stdio, detached: group })
    this.child.once('error', (error) => {
      if (this.child.pid !== undefined) return
      onEnd()
      channel.send(KIND.failed, run, 0, error.message)
    })
    this.child.once('exit', (code, signal) =>
      channel.send(KIND.exited, run, 0, JSON.stringify({ code, signal })),
    )
    // The helper does not own the streams of a direct program, so this process emits no `close` for it.
    this.child.once(direct ? 'exit' : 'close', onEnd)
    if (this.child.pid === undefined) return
    if (nice !== undefined) lowerPriority(this.child.pid, nice)
    channel.send(KIND.started, run, 0, String(this.child.pid))
    if (direct) handOver(run, this.child)
    this.child.stdio.forEach((stream, descriptor) => {
      if (direct && descriptor < 2) return
      if (isInput(descriptor)) this.#forward(stream as Writable, descriptor)
      else this.#listen(stream as Readable, descriptor)
    })
  }

  write(descriptor: number, content: Buffer): void {
    const stream = this.child.stdio[descriptor] as Writable | null
    if (!stream?.writable) return
    stream.write(content, () => {
      const bytes = (this.#unconfirmed[descriptor]! += content.length)
      if (bytes < WINDOW_BYTES / 2) return
      this.#unconfirmed[descriptor] = 0
      this.#channel.send(KIND.consumed, this.#run, descriptor, String(bytes))
    })
  }

  /** Closes a descriptor, because the input has ended or nobody reads the output. */
  end(descriptor: number): void {
    if (isInput(descriptor)) (this.child.stdio[descriptor] as Writable | null)?.end()
    else this.child.stdio[descriptor]?.destroy()
  }

  /** Call it when the server has consumed output of a descriptor. */
  confirm(descriptor: number, bytes: number): void {
    this.#unconfirmed[descriptor]! -= bytes
    if (this.#unconfirmed[descriptor]! < WINDOW_BYTES)
      (this.child.stdio[descriptor] as Readable | null)?.resume()
  }

  #forward(stream: Writable, descriptor: number): void {
    // The program may end before it has read all input.
    stream.on('error', () => {})
    stream.once('close', () => this.#channel.send(KIND.end, this.#run, descriptor))
  }

  #listen(stream: Readable, descriptor: number): void {
    stream.on('error', () => {})
    stream.on('data', (chunk: Buffer) => {
      this.#channel.send(KIND.data, this.#run, descriptor, chunk)
      this.#unconfirmed[descriptor]! += chunk.length
      if (this.#unconfirmed[descriptor]! >= WINDOW_BYTES) stream.pause()
    })
    stream.once('close', () => this.#channel.send(KIND.end, this.#run, descriptor))
  }
}

/** Gives input and output of a program to the server. It writes only after this process has closed its own copies. */
function handOver(run: number, { stdio }: ChildProcess): void {
  const send = (message: Handover, socket?: Socket): void => void process.send?.(message, socket)
  send({ run, descriptor: 0 }, stdio[0] as Socket)
  send({ run, descriptor: 1 }, stdio[1] as Socket)
  send({ run })
}

function lowerPriority(pid: number, nice: number): void {
  try {
    setPriority(pid, nice)
  } catch {
    // The process has ended.
  }
}

/**
 * The helper: a small process that starts programs for the server and passes their input and output on. Each descriptor
 * has a limit of unconfirmed bytes, so no program can use up the memory of this process or block other programs.
 */
function serve(connection: Socket): void {
  const channel = new Channel(connection)
  const frames = new FrameReader()
  const running = new Map<number, RunningProgram>()

  const start = (frame: Frame): void => {
    const { run } = frame
    try {
      running.set(run, new RunningProgram(run, jsonOf(frame), channel, () => running.delete(run)))
    } catch (error) {
      channel.send(KIND.failed, run, 0, (error as Error).message)
    }
  }
  const handle = (frame: Frame): void => {
    const { kind, run, descriptor, content } = frame
    if (kind === KIND.start) return start(frame)
    const entry = running.get(run)
    if (!entry) return
    if (kind === KIND.data) entry.write(descriptor, content)
    else if (kind === KIND.end) entry.end(descriptor)
    else if (kind === KIND.consumed) entry.confirm(descriptor, jsonOf(frame))
    else if (kind === KIND.kill) entry.child.kill(content.toString('latin1') as NodeJS.Signals)
  }

  connection.on('data', (chunk) => {
    for (const frame of frames.push(chunk)) handle(frame)
  })
  // The programs continue until a write to their closed output fails.
  connection.on('error', () => process.exit(0))
  connection.on('close', () => process.exit(0))
  // Ctrl+C in a terminal signals the whole process group, but only the server ends programs.
  for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {})
  channel.send(KIND.ready, 0)
}

serve(new Socket({ fd: 3 }))
