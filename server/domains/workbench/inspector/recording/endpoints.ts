import type { ObservedEndpoint } from '../../../../observer.ts'
import { isSecretName, MASK } from '../masking/names.ts'
import { answerSecrets } from '../masking/schema.ts'
import { isSuspicious, maskHeaderText, maskTarget } from '../masking/target.ts'
import { needleOf, type Arena, type Slot } from './arena.ts'
import type { EndpointInfo, FlatHeaders } from './record.ts'
import type { AnswerHeaders } from './shared.ts'

/** The maximum number of cached texts, and the maximum length of each. */
const MAX_TEXTS = 1000
const MAX_LENGTH = 1000

/**
 * Masks texts that repeat often, such as the links of a list. Texts without a secret are cached, so that each is searched
 * once. A text with a secret is never cached.
 */
class CleanTexts {
  readonly #mask: (text: string) => string
  readonly #clean = new Set<string>()

  constructor(mask: (text: string) => string) {
    this.#mask = mask
  }

  mask(text: string): string {
    if (this.#clean.has(text)) return text
    const masked = this.#mask(text)
    if (masked !== text || text.length > MAX_LENGTH) return masked
    if (this.#clean.size >= MAX_TEXTS) this.#clean.clear()
    this.#clean.add(text)
    return text
  }
}

/** A recorded answer that the kernel cached. */
interface StoredAnswer {
  readonly slot: Slot
  readonly method: string
  readonly requestHeaders: FlatHeaders
  readonly headers: AnswerHeaders
}

/** The maximum number of cached answers that share their recorded bytes. */
const MAX_STORED = 32
/** The maximum number of known header names, because clients may send any names. */
const MAX_NAMES = 500

const DEPRECATED = /deprecated/i

/** Data about endpoints and headers that is computed once and used for many requests. */
export class EndpointCache {
  readonly #needles = new Map<ObservedEndpoint, readonly Buffer[] | 'unknown'>()
  readonly #infos = new Map<ObservedEndpoint, EndpointInfo>()
  /** What to do with the value of a header, by its name. */
  readonly #handlings = new Map<string, 'mask' | 'read' | 'keep'>()
  readonly #stored = new Map<string | Buffer, StoredAnswer>()
  readonly #headerTexts = new CleanTexts(maskHeaderText)
  readonly #targets = new CleanTexts(maskTarget)

  /** The bytes before secret values in the answers of an endpoint. */
  needles(endpoint: ObservedEndpoint): readonly Buffer[] | 'unknown' {
    const cached = this.#needles.get(endpoint)
    if (cached !== undefined) return cached
    const secrets = answerSecrets(endpoint)
    const needles = secrets === 'unknown' ? secrets : secrets.map(needleOf)
    this.#needles.set(endpoint, needles)
    return needles
  }

  of(endpoint: ObservedEndpoint): EndpointInfo {
    const cached = this.#infos.get(endpoint)
    if (cached !== undefined) return cached
    const deprecated = Object.entries(endpoint.params).filter(([, type]) =>
      DEPRECATED.test(type.description ?? ''),
    )
    const note: EndpointInfo = {
      route: endpoint.route,
      path_names: [...endpoint.path.matchAll(/:(\w+)/g)].map(([, name]) => name ?? ''),
      isList: endpoint.returns.kind === 'page' && endpoint.returns.list?.paging !== 'none',
      isDeprecated: DEPRECATED.test(endpoint.summary),
      deprecated: deprecated.map(([name]) => name),
      names: null,
    }
    this.#infos.set(endpoint, note)
    return note
  }

  /** A copy of headers without secrets. */
  headers(flat: readonly string[]): FlatHeaders {
    const copy = flat.slice()
    for (let index = 0; index < copy.length; index += 2) {
      const handling = this.#handlingOf(copy[index]!)
      if (handling === 'mask') copy[index + 1] = MASK
      else if (handling === 'read') copy[index + 1] = this.#headerTexts.mask(copy[index + 1] ?? '')
    }
    return copy
  }

  /** The path and query of a request without secrets. */
  target(text: string): string {
    return isSuspicious(text) ? this.#targets.mask(text) : text
  }

  /** The record of a cached answer that was sent before. */
  stored(body: string | Buffer, arena: Arena): StoredAnswer | undefined {
    const answer = this.#stored.get(body)
    return answer && arena.isFresh(answer.slot) ? answer : undefined
  }

  store(body: string | Buffer, answer: StoredAnswer): void {
    if (this.#stored.size >= MAX_STORED) this.#stored.clear()
    this.#stored.set(body, answer)
  }

  /** Forgets the slots of cached answers. Must be called when the ring gets a new arena. */
  forgetBytes(): void {
    this.#stored.clear()
  }

  #handlingOf(name: string): 'mask' | 'read' | 'keep' {
    const cached = this.#handlings.get(name)
    if (cached !== undefined) return cached
    const lowercase = name.toLowerCase()
    const isSecret = isSecretName(lowercase) || lowercase === 'x-csrf-token'
    const handling = isSecret ? 'mask' : SAFE_HEADERS.test(lowercase) ? 'keep' : 'read'
    if (this.#handlings.size < MAX_NAMES) this.#handlings.set(name, handling)
    return handling
  }
}

/** Headers that contain no credentials. The values of all others are searched for tokens. */
const SAFE_HEADERS =
  /^(host|connection|user-agent|accept(-.*)?|content-.*|if-.*|range|x-request-id|x-runtime|x-(gitlab|service)-meta|x-content-type-options|x-frame-options|vary|etag|cache-control|x-(total|page|per|next|prev).*|ratelimit-.*|sec-.*|origin|date)$/
