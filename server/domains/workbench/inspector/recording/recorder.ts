import { AsyncLocalStorage } from 'node:async_hooks'
import { performance } from 'node:perf_hooks'

import type { GitOperation } from '../../../../git/types.ts'
import { causeOf, causeOfRequest } from '../../../../lib/cause.ts'
import type { ObservedHead, ObservedJob, Observer, RequestObserver } from '../../../../observer.ts'
import { maskTree } from '../masking/tree.ts'
import { ClientNames, hasCredential } from './credential.ts'
import { EndpointCache } from './endpoints.ts'
import { beginJob, runJob } from './jobs.ts'
import { append, NONE, type JobNode, type RequestRecord, type WorkRecord } from './record.ts'
import { RequestRecorder, type Recording } from './requests.ts'
import { Ring } from './ring.ts'
import { Shared } from './shared.ts'

/** The maximum number of statements, git commands, events and jobs that are listed per request; all are counted. */
const MAX_STATEMENTS = 200
const MAX_OTHERS = 100
const MAX_PAYLOAD = 2000
const MAX_TARGET = 4000

/** Requests that are not recorded: those of the inspector itself, probes and the stream of events. */
const NOT_RECORDED = /^\/-\/(workbench\/inspector|health|liveness|readiness|events|docs)(\/|\?|$)|^\/assets\//

/** The work that currently runs for a request: the request itself, or one of its jobs. */
interface Work {
  readonly record: RequestRecord
  readonly job: JobNode | null
}

/** Records what the instance does for requests. */
export class Recorder implements Observer {
  readonly ring = new Ring((record) => this.#mask(record))
  readonly endpointCache = new EndpointCache()
  readonly #shared = new Shared()
  readonly #work = new AsyncLocalStorage<Work | undefined>()
  readonly #clients = new ClientNames(Math.trunc(performance.timeOrigin * 1000) | 0)
  readonly #recording: Recording
  #next = 1

  constructor(recording: Pick<Recording, 'exists' | 'onAdded'>) {
    const during: Recording['during'] = (record, work) => this.#work.run({ record, job: null }, work)
    const { ring, endpointCache } = this
    this.#recording = { ...recording, ring, endpointCache, shared: this.#shared, during }
  }

  /** ID of the latest request. */
  get last(): number {
    return this.#next - 1
  }

  clear(): void {
    this.ring.clear()
    this.endpointCache.forgetBytes()
    this.#shared.clear()
  }

  /** Fills the ring with earlier records and continues their numbering. */
  async restore(fill: (ring: Ring) => Promise<number>): Promise<void> {
    this.#next = Math.max(this.#next, (await fill(this.ring)) + 1)
  }

  request(head: ObservedHead): RequestObserver | undefined {
    if (!head.target.startsWith('/api/') && NOT_RECORDED.test(head.target)) return undefined
    const delivery = head.headers['x-gitlab-event-uuid']
    const record: RequestRecord = {
      id: this.#next++,
      request_id: head.id,
      cause: typeof delivery === 'string' ? causeOfRequest(head.id, delivery, head.ip).uuid : head.id,
      method: head.method,
      target: head.target.length > MAX_TARGET ? head.target.slice(0, MAX_TARGET) : head.target,
      headers: this.#shared.requestHeaders(head.rawHeaders),
      ip: head.ip,
      start: head.start,
      endpoint: null,
      route: null,
      actor: null,
      isSigned: false,
      client: '',
      isClean: false,
      step_times: [],
      cached: false,
      body_names: NONE,
      body: null,
      status: 0,
      ms: 0,
      answer_headers: NONE,
      shared_headers: null,
      answer: null,
      answer_note: null,
      hidden: false,
      events: NONE,
      planned: NONE,
      jobs: NONE,
      bytes: 0,
      state: 'open',
      statements: NONE,
      statement_times: NONE,
      statement_count: 0,
      statement_ms: 0,
      git: NONE,
      git_count: 0,
      git_ms: 0,
    }
    return new RequestRecorder(record, head, this.#recording)
  }

  #mask(record: RequestRecord): void {
    record.isSigned = hasCredential(record)
    record.client = this.#clients.of(record)
    record.target = this.endpointCache.target(record.target)
    record.headers = this.endpointCache.headers(record.headers)
    const answer = record.shared_headers
    if (answer)
      record.answer_headers = this.endpointCache.headers(
        answer.shared.flat(answer.changes, record.request_id),
      )
    record.shared_headers = null
  }

  job<T>(job: ObservedJob, work: () => T): T {
    const cause = causeOf(job.cause)
    const record = cause ? this.ring.byCause(cause.uuid) : undefined
    if (!record || record.jobs.length >= MAX_OTHERS) return this.#work.run(undefined, work)
    const node = beginJob(record, job)
    return this.#work.run({ record, job: node }, () => runJob(node, work))
  }

  withoutRequest<T>(work: () => T): T {
    return this.#work.run(undefined, work)
  }

  statement(sql: string, start: number, ms: number): void {
    const work = this.#work.getStore()
    if (work === undefined) return
    const { record, job } = work
    if (job === null ? record.state !== 'open' : job.state !== 'running') return
    const done: WorkRecord = job ?? record
    done.statement_count++
    done.statement_ms += ms
    if (done.statement_count > MAX_STATEMENTS) return
    done.statements = append(done.statements, sql)
    const at = start - record.start
    if (done.statement_times.length === 0) done.statement_times = [at, ms]
    else (done.statement_times as number[]).push(at, ms)
  }

  git(operation: GitOperation): void {
    const work = this.#work.getStore()
    if (work === undefined) return
    const done: WorkRecord = work.job ?? work.record
    done.git_count++
    done.git_ms += operation.duration_ms
    if (done.git_count > MAX_OTHERS) return
    const ended = performance.now() - work.record.start
    done.git = append(done.git, {
      operation: operation.operation,
      repository: operation.repository,
      command: operation.args[0] ?? '',
      code: operation.code,
      at: Math.max(0, ended - operation.duration_ms),
      ms: operation.duration_ms,
      queued_ms: operation.queued_ms,
    })
    this.ring.addBytes(work.record, 150)
  }

  published(name: string, payload: unknown, jobs: readonly string[]): void {
    const work = this.#work.getStore()
    if (work === undefined || work.record.events.length >= MAX_OTHERS) return
    const { record, job } = work
    const at = performance.now() - record.start
    const text = JSON.stringify(payload) ?? 'null'
    const id = record.events.length + 1
    const json = (JSON.stringify(maskTree(payload)) ?? 'null').slice(0, MAX_PAYLOAD)
    record.events = append(record.events, { id, name, payload: json, job: job?.id ?? null, at })
    for (const planned of jobs) this.#plan(work, { name: planned, args: text, event: id })
    this.ring.addBytes(record, 100 + json.length * 2)
  }

  enqueued(name: string, args: string): void {
    const work = this.#work.getStore()
    if (work !== undefined) this.#plan(work, { name, args, event: null })
  }

  #plan({ record, job }: Work, planned: { name: string; args: string; event: number | null }): void {
    if (record.planned.length >= MAX_OTHERS) return
    const at = performance.now() - record.start
    const args = planned.args.slice(0, MAX_PAYLOAD)
    record.planned = append(record.planned, { ...planned, args, job: job?.id ?? null, at, begun: false })
    this.ring.registerCause(record)
    this.ring.addBytes(record, 100 + args.length * 2)
  }
}
