import { spawn, type ChildProcess } from 'node:child_process'
import { Socket } from 'node:net'
import { setPriority } from 'node:os'
import type { Readable, Writable } from 'node:stream'

import { frameHead, FrameReader, isInput, jsonOf, KIND, WINDOW_BYTES } from './protocol.ts'
import type { Command, Frame, Kind } from './protocol.ts'

/**
 * The helper: a small process that starts programs for a large one, and hands on what goes in and comes out. How much of a
 * descriptor is under way is bounded, so that one of them neither fills this process nor keeps the others waiting.
 */
const connection = new Socket({ fd: 3 })
const frames = new FrameReader()
const running = new Map<number, Running>()

function tell(kind: Kind, run: number, descriptor = 0, content: Buffer | string = ''): void {
  const body = typeof content === 'string' ? Buffer.from(content) : content
  if (connection.writableCorked === 0) {
    connection.cork()
    setImmediate(() => connection.uncork())
  }
  connection.write(frameHead(kind, run, descriptor, body.length))
  if (body.length > 0) connection.write(body)
}

class Running {
  readonly child: ChildProcess
  readonly #run: number
  /** Of each descriptor: bytes that were handed on and not yet reported or dealt with. */
  readonly #underWay: number[]

  constructor(run: number, command: Command) {
    const { file, args, cwd, env, descriptors = 3, group = false, nice } = command
    this.#run = run
    this.#underWay = Array.from({ length: descriptors }, () => 0)
    const stdio = this.#underWay.map(() => 'pipe' as const)
    this.child = spawn(file, args, { cwd, env, stdio, detached: group })
    this.child.once('error', (error) => {
      if (this.child.pid !== undefined) return
      running.delete(run)
      tell(KIND.failed, run, 0, error.message)
    })
    this.child.once('exit', (code, signal) => tell(KIND.exited, run, 0, JSON.stringify({ code, signal })))
    this.child.once('close', () => running.delete(run))
    if (this.child.pid === undefined) return
    if (nice !== undefined) letOthersFirst(this.child.pid, nice)
    tell(KIND.started, run, 0, String(this.child.pid))
    this.child.stdio.forEach((stream, descriptor) => {
      if (isInput(descriptor)) this.#forward(stream as Writable, descriptor)
      else this.#listen(stream as Readable, descriptor)
    })
  }

  /** Bytes for a descriptor. */
  write(descriptor: number, content: Buffer): void {
    const stream = this.child.stdio[descriptor] as Writable | null
    if (!stream?.writable) return
    stream.write(content, () => {
      const done = (this.#underWay[descriptor]! += content.length)
      if (done < WINDOW_BYTES / 2) return
      this.#underWay[descriptor] = 0
      tell(KIND.taken, this.#run, descriptor, String(done))
    })
  }

  /** Nothing more comes for a descriptor; or nobody reads what comes from it. */
  end(descriptor: number): void {
    if (isInput(descriptor)) (this.child.stdio[descriptor] as Writable | null)?.end()
    else this.child.stdio[descriptor]?.destroy()
  }

  /** So much of what came from a descriptor was dealt with. */
  taken(descriptor: number, bytes: number): void {
    this.#underWay[descriptor]! -= bytes
    if (this.#underWay[descriptor]! < WINDOW_BYTES)
      (this.child.stdio[descriptor] as Readable | null)?.resume()
  }

  #forward(stream: Writable, descriptor: number): void {
    // It may end before it has read everything.
    stream.on('error', () => {})
    stream.once('close', () => tell(KIND.end, this.#run, descriptor))
  }

  #listen(stream: Readable, descriptor: number): void {
    stream.on('error', () => {})
    stream.on('data', (chunk: Buffer) => {
      tell(KIND.data, this.#run, descriptor, chunk)
      this.#underWay[descriptor]! += chunk.length
      if (this.#underWay[descriptor]! >= WINDOW_BYTES) stream.pause()
    })
    stream.once('close', () => tell(KIND.end, this.#run, descriptor))
  }
}

function letOthersFirst(pid: number, nice: number): void {
  try {
    setPriority(pid, nice)
  } catch {
    // It is over already.
  }
}

function obey(frame: Frame): void {
  const { kind, run, descriptor, content } = frame
  if (kind === KIND.start) {
    try {
      running.set(run, new Running(run, jsonOf(frame)))
    } catch (error) {
      tell(KIND.failed, run, 0, (error as Error).message)
    }
    return
  }
  const one = running.get(run)
  if (!one) return
  if (kind === KIND.data) one.write(descriptor, content)
  else if (kind === KIND.end) one.end(descriptor)
  else if (kind === KIND.taken) one.taken(descriptor, jsonOf(frame))
  else if (kind === KIND.kill) one.child.kill(content.toString('latin1') as NodeJS.Signals)
}

connection.on('data', (chunk) => {
  for (const frame of frames.push(chunk)) obey(frame)
})
// What runs goes on; its other end notices by itself that nobody listens.
connection.on('error', () => process.exit(0))
connection.on('close', () => process.exit(0))
// A Ctrl+C at the terminal reaches the whole group; the large process decides what ends.
for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {})
tell(KIND.ready, 0)
