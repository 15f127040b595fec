import { performance } from 'node:perf_hooks'

import type {
  ObservedAnswer,
  ObservedEndpoint,
  ObservedHead,
  ObservedHeaders,
  RequestObserver,
  Step,
} from '../../../../observer.ts'
import type { Actor } from '../../../../policy/actor.ts'
import { maskTree } from '../masking/tree.ts'
import type { Slot } from './arena.ts'
import { secretsIn } from './credential.ts'
import type { EndpointCache } from './endpoints.ts'
import { STEPS, type RequestRecord } from './record.ts'
import type { Ring } from './ring.ts'
import type { AnswerHeaders, Shared } from './shared.ts'

/** The maximum number of recorded bytes of one body. */
export const BODY_BYTES = 64 * 1024
/** The maximum number of recorded bytes of an answer with a declared shape: the client waits while they are copied. */
const ANSWER_BYTES = 16 * 1024
/** Larger answers of unknown shape are not recorded, because finding their secrets takes too long. */
const PARSED_BYTES = 256 * 1024
/** Estimated memory of a record without its texts. */
const RECORD_BYTES = 1200
/** Only answers that a throttle counted have this header. */
const LIMIT_HEADER = 'RateLimit-Limit'
const SCOPE = STEPS.indexOf('scope')
const AUTHORIZE = STEPS.indexOf('authorize')

/** The parts of the inspector that the recording of a request needs. */
export interface Recording {
  readonly ring: Ring
  readonly endpointCache: EndpointCache
  readonly shared: Shared
  during<T>(record: RequestRecord, work: () => T): T
  /** True if the owner in the path exists, regardless of the actor. */
  exists(endpoint: ObservedEndpoint, reference: string): boolean
  /** Called after a request was added to the ring. */
  onAdded(record: RequestRecord): void
}

/** Records one request. */
export class RequestRecorder implements RequestObserver {
  readonly #record: RequestRecord
  readonly #recording: Recording
  readonly #head: ObservedHead
  #endpoint: ObservedEndpoint | undefined
  #values: Readonly<Record<string, string>> | undefined

  constructor(record: RequestRecord, head: ObservedHead, recording: Recording) {
    this.#record = record
    this.#head = head
    this.#recording = recording
  }

  during<T>(work: () => Promise<T>): Promise<T> {
    return this.#recording.during(this.#record, work)
  }

  matched(endpoint: ObservedEndpoint, values: Readonly<Record<string, string>>): void {
    this.#endpoint = endpoint
    this.#values = values
    this.#record.endpoint = this.#recording.endpointCache.of(endpoint)
  }

  routed(name: string | null): void {
    this.#record.route = name
  }

  actor(actor: Actor): void {
    this.#record.actor = this.#recording.shared.actor(actor)
  }

  received(params: Readonly<Record<string, unknown>>): void {
    if (isEmpty(params)) return
    const names = Object.keys(params)
    this.#record.body_names = names.slice(0, 200)
    this.#record.body = this.#put(JSON.stringify(maskTree(params, secretsIn(this.#head))) ?? '')
  }

  ended(_step: Step): void {
    this.#record.step_times.push(performance.now() - this.#record.start)
  }

  checked(names: Readonly<Record<string, unknown>>): void {
    this.ended('params')
    const { endpoint } = this.#record
    if (endpoint) endpoint.names ??= Object.keys(names)
  }

  answeredFromCache(): void {
    this.#record.cached = true
  }

  close({ status, headers, ms, body, ip }: ObservedAnswer): void {
    const record = this.#record
    record.ms = ms
    record.ip = ip
    record.status = status
    if (!this.#endpoint && record.route === null && !record.target.startsWith('/api/')) {
      record.state = 'dropped'
      return
    }
    if (!this.#isRepeated(body, headers)) this.#recordAnswer(body, headers)
    if (status === 404 && this.#endpoint) record.hidden = this.#isHidden(this.#endpoint)
    record.bytes += RECORD_BYTES + record.target.length + record.statements.length * 24
    this.#recording.ring.add(record)
    this.#recording.onAdded(record)
  }

  /** True if the policy refused the request, or the actor may not see the owner. */
  #isHidden(endpoint: ObservedEndpoint): boolean {
    const { scope } = endpoint
    const ended = this.#record.step_times.length
    if (!scope || ended > AUTHORIZE) return false
    return ended > SCOPE || this.#recording.exists(endpoint, this.#values?.[scope.param] ?? '')
  }

  /**
   * Records the answer that the same cached body got before, and returns false if there is none. Answers with the same body to
   * requests with the same headers differ only in the request ID and in the limits of the throttle.
   */
  #isRepeated(body: unknown, headers: ObservedHeaders): boolean {
    const record = this.#record
    if (!record.cached || !isText(body)) return false
    const { endpointCache, ring } = this.#recording
    const stored = endpointCache.stored(body, ring.arena)
    if (!stored || stored.method !== record.method || stored.requestHeaders !== record.headers) return false
    if (headers.hasHeader(LIMIT_HEADER)) return false
    record.answer = stored.slot
    record.shared_headers = stored.headers
    return true
  }

  #recordAnswer(body: unknown, headers: ObservedHeaders): void {
    const record = this.#record
    record.shared_headers = this.#recording.shared.answerHeaders(record.endpoint, headers, record.request_id)
    if (body === null || body === undefined) record.answer_note = 'none'
    else if (!isText(body)) this.#recordObjectOrStream(body)
    else if (this.#endpoint?.returns.kind === 'raw' && record.status < 400) record.answer_note = 'raw'
    else if (record.cached) this.#recordCached(body, record.shared_headers, headers.hasHeader(LIMIT_HEADER))
    else record.answer = this.#newAnswer(body)
  }

  /** Records a cached answer. Such answers are sent often, so their bytes are recorded once. */
  #recordCached(body: string | Buffer, headers: AnswerHeaders, isLimited: boolean): void {
    const record = this.#record
    const { endpointCache, ring } = this.#recording
    const slot = endpointCache.stored(body, ring.arena)?.slot ?? this.#newAnswer(body)
    record.answer = slot
    if (slot && !isLimited)
      endpointCache.store(body, { slot, method: record.method, requestHeaders: record.headers, headers })
  }

  #newAnswer(body: string | Buffer): Slot | null {
    const record = this.#record
    const { endpointCache, ring } = this.#recording
    const needles = this.#endpoint && record.status < 400 ? endpointCache.needles(this.#endpoint) : 'unknown'
    if (needles === 'unknown') return this.#parsedAnswer(body)
    return ring.arena.put(body, Buffer.byteLength(body), ANSWER_BYTES, needles)
  }

  /** Records an answer that is neither text nor bytes: an object, or a stream. */
  #recordObjectOrStream(body: unknown): void {
    const isPlain =
      typeof body === 'object' && body !== null && Object.getPrototypeOf(body) === Object.prototype
    if (isPlain) this.#record.answer = this.#parsedAnswer(JSON.stringify(body))
    else this.#record.answer_note = 'stream'
  }

  #parsedAnswer(body: string | Buffer): Slot | null {
    const isLarge = body.length > PARSED_BYTES
    const text = isLarge ? undefined : maskedJson(body.toString(), secretsIn(this.#head))
    if (text !== undefined) return this.#put(text)
    this.#record.answer_note = isLarge ? 'large' : 'raw'
    return null
  }

  #put(text: string): Slot {
    return this.#recording.ring.arena.put(text, Buffer.byteLength(text), BODY_BYTES)
  }
}

function isText(body: unknown): body is string | Buffer {
  return typeof body === 'string' || Buffer.isBuffer(body)
}

function isEmpty(params: object): boolean {
  for (const _name in params) return false
  return true
}

/** JSON text with secrets masked; undefined for another text. */
function maskedJson(text: string, secrets: readonly string[]): string | undefined {
  try {
    return JSON.stringify(maskTree(JSON.parse(text), secrets))
  } catch {
    return undefined
  }
}
