import { setTimeout as sleep } from 'node:timers/promises'

import { LAST_UPDATE_HEADER } from '../../../lib/aliases.ts'
import type { JobPayload } from './payload.ts'
import { runJob, type Machine } from './run/run-job.ts'

/** The runner features that jobs can require (spec ci 1.6). This runner has all of them. */
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

/** If the instance answers sooner, it did not hold the request (long polling is off). */
const MIN_POLL_MS = 200
const PAUSE_MS = 3000

export interface WorkerOptions {
  readonly machine: Machine
  readonly token: string
  /** The maximum number of concurrent jobs. */
  readonly concurrency: number
  /** Called when the instance no longer accepts the token. */
  readonly onTokenRefused: () => void
}

/**
 * Requests jobs and runs them until it is stopped. Without jobs, it waits in a request that the instance holds (long
 * polling).
 */
export class Worker {
  readonly #options: WorkerOptions
  readonly #stopping = new AbortController()
  readonly #running = new Map<number, Promise<void>>()
  readonly #loop: Promise<void>
  #concurrency: number
  #wake: () => void = () => undefined

  constructor(options: WorkerOptions) {
    this.#options = options
    this.#concurrency = options.concurrency
    this.#loop = this.#requestJobs()
  }

  /** Sets the maximum number of concurrent jobs. Running jobs continue. */
  set concurrency(count: number) {
    this.#concurrency = count
    this.#wake()
  }

  /** Ends the running jobs, which fail. Resolves when their programs have ended and their folders are deleted. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#wake()
    await this.#loop
    await Promise.all(this.#running.values())
  }

  async #requestJobs(): Promise<void> {
    const { signal } = this.#stopping
    let lastUpdate: string | undefined
    while (!signal.aborted) {
      if (this.#running.size >= this.#concurrency) {
        await new Promise<void>((resolve) => (this.#wake = resolve))
        continue
      }
      try {
        lastUpdate = await this.#requestJob(lastUpdate)
      } catch {
        // The instance is overloaded or stopping.
        await this.#pause()
      }
    }
  }

  /** Requests a job and starts it. Returns the state of the job queue to send with the next request. */
  async #requestJob(lastUpdate: string | undefined): Promise<string | undefined> {
    const { machine, token } = this.#options
    const start = performance.now()
    const answer = await machine.client.call({
      method: 'POST',
      path: '/jobs/request',
      body: {
        token,
        system_id: 's_built_in',
        ...(lastUpdate === undefined ? {} : { last_update: lastUpdate }),
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
    const newUpdate = answer.header(LAST_UPDATE_HEADER)
    const isPollingOff = newUpdate === lastUpdate && performance.now() - start < MIN_POLL_MS
    if (answer.status === 403) this.#stopForRefusedToken()
    else if (answer.status !== 204 && answer.status !== 409) await this.#pause()
    else if (newUpdate !== undefined && isPollingOff) await this.#pause()
    return answer.status === 204 ? newUpdate : undefined
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

  #stopForRefusedToken(): void {
    this.#stopping.abort()
    this.#options.onTokenRefused()
  }

  async #pause(): Promise<void> {
    await sleep(PAUSE_MS, undefined, { signal: this.#stopping.signal, ref: false }).catch(() => undefined)
  }
}
