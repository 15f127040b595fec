import { setTimeout as sleep } from 'node:timers/promises'

import { LAST_UPDATE_HEADER } from '../../../lib/aliases.ts'
import type { JobPayload } from './payload.ts'
import { runJob, type Machine } from './run/run-job.ts'

/** Features without which the instance does not hand out some jobs (spec ci 1.6); all of these are there. */
const FEATURES = [
  'variables',
  'artifacts',
  'cache',
  'fallback_cache_keys',
  'upload_multiple_artifacts',
  'upload_raw_artifacts',
  'refspecs',
  'masking',
  'raw_variables',
  'artifacts_exclude',
  'multi_build_steps',
  'trace_checksum',
  'trace_size',
  'cancelable',
  'return_exit_code',
]

/** An answer that comes faster was not held: nobody waits for news there just now. */
const HELD_MS = 200
const PAUSE_MS = 3000

/** What a worker is started with. */
export interface WorkerOptions {
  readonly machine: Machine
  readonly token: string
  /** Jobs at once. */
  readonly concurrency: number
  /** The instance does not know the token any more. */
  readonly onUnknown: () => void
}

/** Asks for jobs and runs them until it is stopped. While there are none it waits in one request that the instance holds. */
export class Worker {
  readonly #options: WorkerOptions
  readonly #stopping = new AbortController()
  readonly #running = new Map<number, Promise<void>>()
  readonly #work: Promise<void>
  #concurrency: number
  #wake: () => void = () => undefined

  constructor(options: WorkerOptions) {
    this.#options = options
    this.#concurrency = options.concurrency
    this.#work = this.#ask()
  }

  /** Jobs at once from now on; those that run stay. */
  set concurrency(count: number) {
    this.#concurrency = count
    this.#wake()
  }

  /** Ends the jobs under way, which fail, and resolves when nothing of them is left. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#wake()
    await this.#work
    await Promise.all(this.#running.values())
  }

  async #ask(): Promise<void> {
    const { signal } = this.#stopping
    let last: string | undefined
    while (!signal.aborted) {
      if (this.#running.size >= this.#concurrency) {
        await new Promise<void>((resolve) => (this.#wake = resolve))
        continue
      }
      try {
        last = await this.#askOnce(last)
      } catch {
        // The instance has no time, or ends the request because it stops.
        await this.#pause()
      }
    }
  }

  /** Returns the queue value to send with the next request. */
  async #askOnce(last: string | undefined): Promise<string | undefined> {
    const { machine, token } = this.#options
    const start = performance.now()
    const answer = await machine.client.call({
      method: 'POST',
      path: '/jobs/request',
      body: {
        token,
        system_id: 's_built_in',
        ...(last === undefined ? {} : { last_update: last }),
        info: {
          ...machine.about,
          executor: 'shell',
          shell: 'bash',
          features: Object.fromEntries(FEATURES.map((feature) => [feature, true])),
        },
      },
      signal: this.#stopping.signal,
    })
    if (answer.status === 201) {
      this.#start(JSON.parse(answer.body.toString()) as JobPayload)
      return undefined
    }
    const value = answer.header(LAST_UPDATE_HEADER)
    if (answer.status === 403) this.#unknown()
    else if (answer.status !== 204 && answer.status !== 409) await this.#pause()
    else if (value !== undefined && value === last && performance.now() - start < HELD_MS) await this.#pause()
    return answer.status === 204 ? value : undefined
  }

  #start(payload: JobPayload): void {
    const slot = this.#freeSlot()
    const job = runJob(this.#options.machine, payload, slot, this.#stopping.signal)
    const done = job.finally(() => {
      this.#running.delete(slot)
      this.#wake()
    })
    this.#running.set(slot, done)
  }

  #freeSlot(): number {
    let slot = 0
    while (this.#running.has(slot)) slot++
    return slot
  }

  #unknown(): void {
    this.#stopping.abort()
    this.#options.onUnknown()
  }

  async #pause(): Promise<void> {
    await sleep(PAUSE_MS, undefined, { signal: this.#stopping.signal, ref: false }).catch(() => undefined)
  }
}
