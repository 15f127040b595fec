import { performance } from 'node:perf_hooks'

import type {
  ObservedAnswer,
  ObservedEndpoint,
  ObservedHead,
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

/** The maximum number of recorded bytes of one body. */
export const BODY_BYTES = 64 * 1024
/** The maximum number of recorded bytes of an answer with a declared shape: the client waits while they are copied. */
const ANSWER_BYTES = 16 * 1024
/** Larger answers of unknown shape are not recorded, because finding their secrets takes too long. */
const PARSED_BYTES = 256 * 1024
/** Estimated memory of a record without its texts. */
const RECORD_BYTES = 1200
const SCOPE = STEPS.indexOf('scope')
const AUTHORIZE = STEPS.indexOf('authorize')

/** The parts of the inspector that the recording of a request needs. */
export interface Recording {
  readonly ring: Ring
  readonly endpointCache: EndpointCache
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
    this.#record.actor = actor
  }

  received(params: Readonly<Record<string, unknown>>): void {
    const names = Object.keys(params)
    if (names.length === 0) return
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

  close({ status, headers, body, ip }: ObservedAnswer): void {
    const record = this.#record
    record.ms = performance.now() - record.start
    record.ip = ip
    record.status = status
    if (!this.#endpoint && record.route === null && !record.target.startsWith('/api/')) {
      record.state = 'dropped'
      return
    }
    record.answer_headers = headers
    this.#recordAnswer(body)
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

  #recordAnswer(body: unknown): void {
    const record = this.#record
    if (body === null || body === undefined) record.answer_note = 'none'
    else if (typeof body !== 'string' && !Buffer.isBuffer(body)) this.#recordObjectOrStream(body)
    else if (this.#endpoint?.returns.kind === 'raw' && record.status < 400) record.answer_note = 'raw'
    else record.answer = record.cached ? this.#cachedAnswer(body) : this.#newAnswer(body)
  }

  /** Records a cached answer. Such answers are sent often, so their bytes are recorded once. */
  #cachedAnswer(body: string | Buffer): Slot | null {
    const { endpointCache, ring } = this.#recording
    const stored = endpointCache.storedSlot(body, ring.arena)
    if (stored) return stored
    const slot = this.#newAnswer(body)
    if (slot) endpointCache.store(body, slot)
    return slot
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

/** JSON text with secrets masked; undefined for another text. */
function maskedJson(text: string, secrets: readonly string[]): string | undefined {
  try {
    return JSON.stringify(maskTree(JSON.parse(text), secrets))
  } catch {
    return undefined
  }
}
