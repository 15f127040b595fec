import { setTimeout as sleep } from 'node:timers/promises'
import { crc32 } from 'node:zlib'

import type { InstanceClient } from '../client.ts'

const MASK = '[MASKED]'

/**
 * Replaces secret values in a stream of bytes. It holds back bytes at the end of a chunk that may be the start of a
 * value, and so also finds values that are split between two chunks.
 */
export class Masker {
  readonly #values: readonly string[]
  /** The bytes that are held back, as latin1 text. */
  #held = ''

  constructor(values: readonly string[]) {
    const bytes = [...new Set(values)]
      .filter((value) => value !== '')
      .map((value) => Buffer.from(value).toString('latin1'))
    // Longer values come first, so that they match before their own prefixes.
    this.#values = bytes.toSorted((a, b) => b.length - a.length)
  }

  /** Returns the bytes that can be sent now. */
  push(bytes: Buffer): Buffer {
    if (this.#values.length === 0) return bytes
    const text = this.#held + bytes.toString('latin1')
    const pattern = this.#patternFor(text)
    let cut = text.length - this.#partialLength(text)
    for (const match of pattern ? text.matchAll(pattern) : []) {
      // A value that extends into the held-back bytes may be part of a longer one.
      if (match.index < cut && match.index + match[0].length > cut) cut = match.index
    }
    this.#held = text.slice(cut)
    return this.#mask(text.slice(0, cut), pattern)
  }

  /** Returns the held-back bytes at the end of the stream. */
  end(): Buffer {
    const rest = this.#held
    this.#held = ''
    return this.#mask(rest, this.#patternFor(rest))
  }

  /** A pattern of the values that occur in a text. There may be thousands of values, but few occur. */
  #patternFor(text: string): RegExp | undefined {
    const occurring = this.#values.filter((value) => text.includes(value))
    const escaped = occurring.map((value) => value.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&'))
    return escaped.length > 0 ? new RegExp(escaped.join('|'), 'g') : undefined
  }

  #mask(text: string, pattern: RegExp | undefined): Buffer {
    return Buffer.from(pattern ? text.replace(pattern, MASK) : text, 'latin1')
  }

  /** The length of the longest suffix of a text that is a prefix of a value. */
  #partialLength(text: string): number {
    let longest = 0
    for (const value of this.#values) {
      const first = value[0]!
      const from = Math.max(0, text.length - value.length + 1)
      for (let start = text.indexOf(first, from); start >= 0; start = text.indexOf(first, start + 1)) {
        if (!value.startsWith(text.slice(start))) continue
        longest = Math.max(longest, text.length - start)
        break
      }
    }
    return longest
  }
}

/** The maximum size of a log in bytes, the default of other runners. */
const LIMIT = 4 * 1024 * 1024
/** The maximum number of bytes in one request. */
const CHUNK = 512 * 1024

/** The interval in milliseconds at which new output is sent. */
const SEND_MS = 1000

/** The interval in milliseconds at which the runner asks for the status of the job while there is no output. */
const TOUCH_MS = 2000
const ATTEMPTS = 5

/** The job that a log belongs to. */
export interface TraceJob {
  readonly id: number
  readonly token: string
  /** Whether the log may contain secrets. */
  readonly isDebug: boolean
}

/** Sends the log of a job to the instance (spec ci 1.9), and reads the status of the job from the responses. */
export class Trace {
  readonly #client: InstanceClient
  readonly #job: TraceJob
  readonly #masker: Masker
  /** Called when the job was canceled or its token became invalid. */
  readonly #onStop: () => void
  /** The output that has not been sent yet. */
  #pending: Buffer[] = []
  #written = 0
  #sent = 0
  #checksum = 0
  #isEnding = false
  #isStopped = false
  /** When the last request was sent. */
  #requestedAt = 0
  readonly #sending: Promise<void>
  #wake: () => void = () => undefined

  constructor(client: InstanceClient, job: TraceJob, secrets: readonly string[], onStop: () => void) {
    this.#client = client
    this.#job = job
    this.#masker = new Masker(secrets)
    this.#onStop = onStop
    this.#sending = this.#sendLoop()
  }

  /** The size and checksum of the whole log, for the final update of the job. */
  get output(): { checksum: string; bytesize: number } {
    return { checksum: `crc32:${this.#checksum.toString(16).padStart(8, '0')}`, bytesize: this.#written }
  }

  write(data: string | Buffer): void {
    this.#append(this.#masker.push(typeof data === 'string' ? Buffer.from(data) : data))
  }

  /** Sends the remaining output. */
  async end(): Promise<void> {
    this.#append(this.#masker.end())
    this.#isEnding = true
    this.#wake()
    await this.#sending
  }

  #append(bytes: Buffer): void {
    if (bytes.length === 0 || this.#written >= LIMIT) return
    const remaining = LIMIT - this.#written
    const isTooLong = bytes.length >= remaining
    const accepted = isTooLong ? Buffer.concat([bytes.subarray(0, remaining), limitMessage]) : bytes
    this.#pending.push(accepted)
    this.#written += accepted.length
    this.#checksum = crc32(accepted, this.#checksum)
  }

  async #sendLoop(): Promise<void> {
    while (!this.#isStopped) {
      try {
        await this.#sendPending()
      } catch {
        // The instance is stopping or overloaded. The job continues.
      }
      if (this.#isEnding) return this.#sendRest()
      const wake = new Promise<void>((resolve) => (this.#wake = resolve))
      await Promise.race([wake, sleep(SEND_MS, undefined, { ref: false })])
    }
  }

  async #sendRest(): Promise<void> {
    for (let attempt = 0; attempt < ATTEMPTS && this.#pending.length > 0 && !this.#isStopped; attempt++) {
      try {
        await this.#sendPending()
      } catch {
        await sleep(200 * 2 ** attempt)
      }
    }
  }

  async #sendPending(): Promise<void> {
    if (this.#pending.length === 0) return this.#requestStatus()
    while (this.#pending.length > 0 && !this.#isStopped) {
      const all = Buffer.concat(this.#pending)
      const chunk = all.subarray(0, CHUNK)
      const { status, header } = await this.#client.call({
        method: 'PATCH',
        path: `/jobs/${this.#job.id}/trace?debug_trace=${this.#job.isDebug}`,
        headers: {
          'job-token': this.#job.token,
          'content-type': 'text/plain',
          'content-range': `${this.#sent}-${this.#sent + chunk.length - 1}`,
        },
        body: chunk,
      })
      this.#requestedAt = performance.now()
      const isRangeRefused = status === 416
      const end = Number(/^0-(\d+)$/.exec(header('range') ?? '')?.[1])
      if (status === 202 || (isRangeRefused && end > this.#sent && end <= this.#sent + all.length)) {
        // New output may have been appended during the request.
        const received = status === 202 ? chunk.length : end - this.#sent
        this.#pending = [Buffer.concat(this.#pending).subarray(received)].filter((rest) => rest.length > 0)
        this.#sent += received
      }
      this.#checkStop(status, header('job-status'))
      if (status !== 202 && !isRangeRefused) throw new Error(`The server answered the log with ${status}.`)
    }
  }

  /** Reports that the job is running, and checks whether it must stop. */
  async #requestStatus(): Promise<void> {
    if (performance.now() - this.#requestedAt < TOUCH_MS) return
    this.#requestedAt = performance.now()
    const { id, token } = this.#job
    const answer = await this.#client.call({
      method: 'PUT',
      path: `/jobs/${id}`,
      body: { token, state: 'running' },
    })
    this.#checkStop(answer.status, answer.header('job-status'))
  }

  /** Stops the job if the token is invalid or the job was canceled or failed. No other response stops it (spec ci 1.11). */
  #checkStop(status: number, jobStatus: string | undefined): void {
    if (status !== 403 && jobStatus !== 'canceled' && jobStatus !== 'failed') return
    this.#isStopped = true
    this.#onStop()
  }
}

const limitMessage = Buffer.from(
  `\n\x1b[33;1mJob's log exceeded limit of ${LIMIT} bytes.\nJob execution will continue but no more output will be collected.\x1b[0;m\n`,
)

/** Runs work of a job in a collapsible section of its log (spec ci 1.18). */
export async function section<T>(
  { trace, seconds }: { readonly trace: Trace; readonly seconds: () => number },
  name: string,
  title: string,
  work: () => Promise<T>,
): Promise<T> {
  trace.write(`section_start:${seconds()}:${name}\r\x1b[0K\x1b[0K\x1b[36;1m${title}\x1b[0;m\n`)
  try {
    return await work()
  } finally {
    trace.write(`section_end:${seconds()}:${name}\r\x1b[0K`)
  }
}
