import { setTimeout as sleep } from 'node:timers/promises'
import { crc32 } from 'node:zlib'

import type { InstanceClient } from '../client.ts'

const MASK = '[MASKED]'

/**
 * Replaces secret values in a stream of bytes. Holds back bytes that could be the start of a value until that is clear,
 * so that it also finds values split between two chunks.
 */
export class Masker {
  readonly #values: readonly string[]
  #held = ''

  /** Longer values come before their own prefixes. */
  constructor(values: readonly string[]) {
    const bytes = [...new Set(values)]
      .filter((value) => value !== '')
      .map((value) => Buffer.from(value).toString('latin1'))
    this.#values = bytes.toSorted((a, b) => b.length - a.length)
  }

  /** Returns the bytes that can be sent now. */
  push(bytes: Buffer): Buffer {
    if (this.#values.length === 0) return bytes
    const text = this.#held + bytes.toString('latin1')
    const pattern = this.#patternFor(text)
    let cut = text.length - this.#openEnd(text)
    for (const match of pattern ? text.matchAll(pattern) : []) {
      // A value that extends into the held-back bytes may be part of a longer one.
      if (match.index < cut && match.index + match[0].length > cut) cut = match.index
    }
    this.#held = text.slice(cut)
    return this.#masked(text.slice(0, cut), pattern)
  }

  /** Returns the held-back bytes at the end of the stream. */
  end(): Buffer {
    const rest = this.#held
    this.#held = ''
    return this.#masked(rest, this.#patternFor(rest))
  }

  /** Selects the values that occur in a text, which are few of possibly thousands of variables. */
  #patternFor(text: string): RegExp | undefined {
    const present = this.#values.filter((value) => text.includes(value))
    const escaped = present.map((value) => value.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&'))
    return escaped.length > 0 ? new RegExp(escaped.join('|'), 'g') : undefined
  }

  #masked(text: string, pattern: RegExp | undefined): Buffer {
    return Buffer.from(pattern ? text.replace(pattern, MASK) : text, 'latin1')
  }

  /** Length of the longest suffix of a text that is a prefix of some value. */
  #openEnd(text: string): number {
    let longest = 0
    for (const value of this.#values) {
      const first = value[0]!
      const from = Math.max(0, text.length - value.length + 1)
      for (let at = text.indexOf(first, from); at >= 0; at = text.indexOf(first, at + 1)) {
        if (!value.startsWith(text.slice(at))) continue
        longest = Math.max(longest, text.length - at)
        break
      }
    }
    return longest
  }
}

/** The default log limit of runners. */
const LIMIT = 4 * 1024 * 1024
const PART = 512 * 1024

/** Interval for sending new output, in ms. */
const EVERY_MS = 1000

/** Interval for requesting the job status while there is no output, in ms. */
const TOUCH_MS = 2000
const ATTEMPTS = 5

/** The job that a log belongs to. */
export interface TraceJob {
  readonly id: number
  readonly token: string
  /** The log may contain secrets. */
  readonly isDebug: boolean
}

/** Sends the log of a job to the instance (spec ci 1.9), and reads the status of the job from the responses. */
export class Trace {
  readonly #client: InstanceClient
  readonly #job: TraceJob
  readonly #masker: Masker
  /** Called when the job was canceled or its token became invalid. */
  readonly #onGone: () => void
  #waiting: Buffer[] = []
  #written = 0
  #sent = 0
  #checksum = 0
  #isEnding = false
  #isGone = false
  #touched = 0
  readonly #sending: Promise<void>
  #wake: () => void = () => undefined

  constructor(client: InstanceClient, job: TraceJob, secrets: readonly string[], onGone: () => void) {
    this.#client = client
    this.#job = job
    this.#masker = new Masker(secrets)
    this.#onGone = onGone
    this.#sending = this.#sendForEver()
  }

  /** Size and checksum of the whole log for the final update. */
  get output(): { checksum: string; bytesize: number } {
    return { checksum: `crc32:${this.#checksum.toString(16).padStart(8, '0')}`, bytesize: this.#written }
  }

  write(data: string | Buffer): void {
    this.#keep(this.#masker.push(typeof data === 'string' ? Buffer.from(data) : data))
  }

  /** Sends the remaining output. */
  async end(): Promise<void> {
    this.#keep(this.#masker.end())
    this.#isEnding = true
    this.#wake()
    await this.#sending
  }

  #keep(bytes: Buffer): void {
    if (bytes.length === 0 || this.#written >= LIMIT) return
    const rest = LIMIT - this.#written
    const accepted = bytes.length < rest ? bytes : Buffer.concat([bytes.subarray(0, rest), exceeded])
    this.#waiting.push(accepted)
    this.#written += accepted.length
    this.#checksum = crc32(accepted, this.#checksum)
  }

  async #sendForEver(): Promise<void> {
    while (!this.#isGone) {
      try {
        await this.#sendWaiting()
      } catch {
        // The instance is stopping or overloaded. The job goes on.
      }
      if (this.#isEnding) return this.#sendRest()
      const woken = new Promise<void>((resolve) => (this.#wake = resolve))
      await Promise.race([woken, sleep(EVERY_MS, undefined, { ref: false })])
    }
  }

  async #sendRest(): Promise<void> {
    for (let attempt = 0; attempt < ATTEMPTS && this.#waiting.length > 0 && !this.#isGone; attempt++) {
      try {
        await this.#sendWaiting()
      } catch {
        await sleep(200 * 2 ** attempt)
      }
    }
  }

  async #sendWaiting(): Promise<void> {
    if (this.#waiting.length === 0) return this.#touch()
    while (this.#waiting.length > 0 && !this.#isGone) {
      const all = Buffer.concat(this.#waiting)
      const part = all.subarray(0, PART)
      const { status, header } = await this.#client.call({
        method: 'PATCH',
        path: `/jobs/${this.#job.id}/trace?debug_trace=${this.#job.isDebug}`,
        headers: {
          'job-token': this.#job.token,
          'content-type': 'text/plain',
          'content-range': `${this.#sent}-${this.#sent + part.length - 1}`,
        },
        body: part,
      })
      this.#touched = performance.now()
      const isMisplaced = status === 416
      const end = Number(/^0-(\d+)$/.exec(header('range') ?? '')?.[1])
      if (status === 202 || (isMisplaced && end > this.#sent && end <= this.#sent + all.length)) {
        // New output may have arrived during the request, after the sent part.
        const taken = status === 202 ? part.length : end - this.#sent
        this.#waiting = [Buffer.concat(this.#waiting).subarray(taken)].filter((rest) => rest.length > 0)
        this.#sent += taken
      }
      this.#checkStop(status, header('job-status'))
      if (status !== 202 && !isMisplaced) throw new Error(`The server answered the log with ${status}.`)
    }
  }

  /** Reports that the job is running, and returns whether it must stop. */
  async #touch(): Promise<void> {
    if (performance.now() - this.#touched < TOUCH_MS) return
    this.#touched = performance.now()
    const { id, token } = this.#job
    const answer = await this.#client.call({
      method: 'PUT',
      path: `/jobs/${id}`,
      body: { token, state: 'running' },
    })
    this.#checkStop(answer.status, answer.header('job-status'))
  }

  /** The only two responses that stop a job (spec ci 1.11). */
  #checkStop(status: number, jobStatus: string | undefined): void {
    if (status !== 403 && jobStatus !== 'canceled' && jobStatus !== 'failed') return
    this.#isGone = true
    this.#onGone()
  }
}

const exceeded = Buffer.from(
  `\n\x1b[33;1mJob's log exceeded limit of ${LIMIT} bytes.\nJob execution will continue but no more output will be collected.\x1b[0;m\n`,
)

/** Runs a part of a job inside a collapsible section of its log (spec ci 1.18). */
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
