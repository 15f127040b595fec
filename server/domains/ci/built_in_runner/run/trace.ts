import { setTimeout as sleep } from 'node:timers/promises'
import { crc32 } from 'node:zlib'

import type { InstanceClient } from '../client.ts'
import { Masker } from './mask.ts'

/** Runners cut logs here unless the configuration says otherwise. */
const LIMIT = 4 * 1024 * 1024
const PART = 512 * 1024

/** New lines are sent this often, ms. */
const EVERY_MS = 1000

/** How often a job that writes nothing asks how it stands, ms. */
const TOUCH_MS = 2000
const ATTEMPTS = 5

/** What a log is written for. */
export interface TraceJob {
  readonly id: number
  readonly token: string
  /** The log may hold secrets. */
  readonly isDebug: boolean
}

/** The log of a job on its way to the instance (spec ci 1.9); what the instance says of the job comes back with it. */
export class Trace {
  readonly #client: InstanceClient
  readonly #job: TraceJob
  readonly #masker: Masker
  /** Called when the job was canceled, or its token is worth nothing any more. */
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

  /** Bytes and checksum of all that was written, as the final update reports them. */
  get output(): { checksum: string; bytesize: number } {
    return { checksum: `crc32:${this.#checksum.toString(16).padStart(8, '0')}`, bytesize: this.#written }
  }

  write(data: string | Buffer): void {
    this.#keep(this.#masker.push(typeof data === 'string' ? Buffer.from(data) : data))
  }

  /** Sends what is left. */
  async end(): Promise<void> {
    this.#keep(this.#masker.end())
    this.#isEnding = true
    this.#wake()
    await this.#sending
  }

  #keep(bytes: Buffer): void {
    if (bytes.length === 0 || this.#written >= LIMIT) return
    const rest = LIMIT - this.#written
    const kept = bytes.length < rest ? bytes : Buffer.concat([bytes.subarray(0, rest), exceeded])
    this.#waiting.push(kept)
    this.#written += kept.length
    this.#checksum = crc32(kept, this.#checksum)
  }

  async #sendForEver(): Promise<void> {
    while (!this.#isGone) {
      try {
        await this.#sendWaiting()
      } catch {
        // The instance stops, or has no time; the job goes on meanwhile.
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
        // Lines may have come while it was sent; they are behind what was there.
        const taken = status === 202 ? part.length : end - this.#sent
        this.#waiting = [Buffer.concat(this.#waiting).subarray(taken)].filter((rest) => rest.length > 0)
        this.#sent += taken
      }
      this.#heed(status, header('job-status'))
      if (status !== 202 && !isMisplaced) throw new Error(`The log was answered with ${status}.`)
    }
  }

  /** Says that the job is still at work, and hears whether it should stop. */
  async #touch(): Promise<void> {
    if (performance.now() - this.#touched < TOUCH_MS) return
    this.#touched = performance.now()
    const { id, token } = this.#job
    const answer = await this.#client.call({
      method: 'PUT',
      path: `/jobs/${id}`,
      body: { token, state: 'running' },
    })
    this.#heed(answer.status, answer.header('job-status'))
  }

  /** The only two answers that end a job from outside (spec ci 1.11). */
  #heed(status: number, jobStatus: string | undefined): void {
    if (status !== 403 && jobStatus !== 'canceled' && jobStatus !== 'failed') return
    this.#isGone = true
    this.#onGone()
  }
}

const exceeded = Buffer.from(
  `\n\x1b[33;1mJob's log exceeded limit of ${LIMIT} bytes.\nJob execution will continue but no more output will be collected.\x1b[0;m\n`,
)

/** Runs a part of a job inside of a folding section of its log (spec ci 1.18). */
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
