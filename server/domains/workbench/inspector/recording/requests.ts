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
import { coverFields, type Slot } from './arena.ts'
import { shownSecrets } from './credential.ts'
import type { EndpointNotes } from './endpoints.ts'
import { headerOf, STEPS, type RequestRecord } from './record.ts'
import type { Ring } from './ring.ts'

/** The maximum number of bytes that are kept of one body. */
export const BODY_BYTES = 64 * 1024
/**
 * The maximum number of bytes of an answer with a declared shape, because it is searched for secrets while the client
 * waits.
 */
const ANSWER_BYTES = 16 * 1024
/** Larger answers of unknown shape are not kept, because finding their secrets takes too long. */
const PARSED_BYTES = 256 * 1024
/** Memory of a record without its texts. */
const RECORD_BYTES = 1200
const SCOPE = STEPS.indexOf('scope')
const AUTHORIZE = STEPS.indexOf('authorize')

const nothing = (): void => undefined

/** The parts of the inspector that the recording of a request needs. */
export interface Recording {
  readonly ring: Ring
  readonly notes: EndpointNotes
  during<T>(record: RequestRecord, work: () => T): T
  /** True if the owner in the path exists, regardless of the actor. */
  exists(endpoint: ObservedEndpoint, reference: string): boolean
  /** A request was added. */
  added(record: RequestRecord): void
}

/** Records one request. */
export class RequestRecorder implements RequestObserver {
  readonly #record: RequestRecord
  readonly #with: Recording
  readonly #head: ObservedHead
  #endpoint: ObservedEndpoint | undefined
  #values: Readonly<Record<string, string>> | undefined

  constructor(record: RequestRecord, head: ObservedHead, recording: Recording) {
    this.#record = record
    this.#head = head
    this.#with = recording
  }

  during<T>(work: () => Promise<T>): Promise<T> {
    return this.#with.during(this.#record, work)
  }

  matched(endpoint: ObservedEndpoint, values: Readonly<Record<string, string>>): void {
    this.#endpoint = endpoint
    this.#values = values
    this.#record.endpoint = this.#with.notes.of(endpoint)
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
    this.#record.body = this.#put(JSON.stringify(maskTree(params, shownSecrets(this.#head))) ?? '')
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
    record.answer_headers = this.#with.notes.headers(headers)
    this.#keepAnswer(body)
    if (status === 404 && this.#endpoint) record.hidden = this.#isHidden(this.#endpoint)
    record.bytes += RECORD_BYTES + record.target.length + record.statements.length * 24
    this.#with.ring.add(record)
    this.#with.added(record)
  }

  /** True for a refusal by the policy, or of an owner that the actor may not see. */
  #isHidden(endpoint: ObservedEndpoint): boolean {
    const { scope } = endpoint
    const ended = this.#record.step_times.length
    if (!scope || ended > AUTHORIZE) return false
    return ended > SCOPE || this.#with.exists(endpoint, this.#values?.[scope.param] ?? '')
  }

  #keepAnswer(body: unknown): void {
    const record = this.#record
    if (body === null || body === undefined) record.answer_note = 'none'
    else if (typeof body !== 'string' && !Buffer.isBuffer(body)) this.#keepOther(body)
    else if (this.#endpoint?.returns.kind === 'raw' && record.status < 400) record.answer_note = 'raw'
    else record.answer = record.cached ? this.#storedAnswer(body) : this.#freshAnswer(body)
  }

  /** Cached answers are sent often; their bytes are kept once. */
  #storedAnswer(body: string | Buffer): Slot | null {
    const { notes, ring } = this.#with
    const stored = notes.stored(body, ring.arena)
    if (stored) return stored
    const slot = this.#freshAnswer(body)
    if (slot) notes.store(body, slot)
    return slot
  }

  #freshAnswer(body: string | Buffer): Slot | null {
    const record = this.#record
    const { notes, ring } = this.#with
    const needles = this.#endpoint && record.status < 400 ? notes.needles(this.#endpoint) : 'unknown'
    if (needles === 'unknown') return this.#parsedAnswer(body)
    const length = Number(headerOf(record.answer_headers, 'content-length') ?? Buffer.byteLength(body))
    return ring.arena.put(
      body,
      length,
      ANSWER_BYTES,
      needles.length > 0 ? (bytes) => coverFields(bytes, needles) : nothing,
    )
  }

  /** The answer of a route of the framework: an object, or a stream. */
  #keepOther(body: unknown): void {
    const isPlain =
      typeof body === 'object' && body !== null && Object.getPrototypeOf(body) === Object.prototype
    if (isPlain) this.#record.answer = this.#parsedAnswer(JSON.stringify(body))
    else this.#record.answer_note = 'stream'
  }

  #parsedAnswer(body: string | Buffer): Slot | null {
    const isLarge = body.length > PARSED_BYTES
    const text = isLarge ? undefined : maskedJson(body.toString(), shownSecrets(this.#head))
    if (text !== undefined) return this.#put(text)
    this.#record.answer_note = isLarge ? 'large' : 'raw'
    return null
  }

  #put(text: string): Slot {
    return this.#with.ring.arena.put(text, Buffer.byteLength(text), BODY_BYTES, nothing)
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
