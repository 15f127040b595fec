import type { ObservedEndpoint } from '../../../../observer.ts'
import { CleanTexts } from '../masking/clean.ts'
import { isSecretName, MASK } from '../masking/names.ts'
import { answerSecrets } from '../masking/schema.ts'
import { maskHeaderText, maskTarget } from '../masking/target.ts'
import { needleOf, type Arena, type Slot } from './arena.ts'
import type { EndpointNote, FlatHeaders } from './record.ts'

/** The maximum number of cached answers with recorded bytes that are used again. */
const MAX_STORED = 32
/** Header names are few, but clients may send others. */
const MAX_NAMES = 500

const DEPRECATED = /deprecated/i

/** Data about endpoints and headers that is computed once and used for many requests. */
export class EndpointNotes {
  readonly #needles = new Map<ObservedEndpoint, readonly Buffer[] | 'unknown'>()
  readonly #notes = new Map<ObservedEndpoint, EndpointNote>()
  /** How to record headers, by name. */
  readonly #ways = new Map<string, 'mask' | 'read' | 'keep'>()
  readonly #stored = new Map<string | Buffer, Slot>()
  readonly #headerTexts = new CleanTexts(maskHeaderText)
  readonly #targets = new CleanTexts(maskTarget)

  /** The text to cover in answers of an endpoint. */
  needles(endpoint: ObservedEndpoint): readonly Buffer[] | 'unknown' {
    const cached = this.#needles.get(endpoint)
    if (cached !== undefined) return cached
    const secrets = answerSecrets(endpoint)
    const needles = secrets === 'unknown' ? secrets : secrets.map(needleOf)
    this.#needles.set(endpoint, needles)
    return needles
  }

  of(endpoint: ObservedEndpoint): EndpointNote {
    const cached = this.#notes.get(endpoint)
    if (cached !== undefined) return cached
    const deprecated = Object.entries(endpoint.params).filter(([, type]) =>
      DEPRECATED.test(type.description ?? ''),
    )
    const note: EndpointNote = {
      route: endpoint.route,
      path_names: [...endpoint.path.matchAll(/:(\w+)/g)].map(([, name]) => name ?? ''),
      isList: endpoint.returns.kind === 'page' && endpoint.returns.list?.paging !== 'none',
      isDeprecated: DEPRECATED.test(endpoint.summary),
      deprecated: deprecated.map(([name]) => name),
      names: null,
    }
    this.#notes.set(endpoint, note)
    return note
  }

  /** A copy of headers without secrets. */
  headers(flat: readonly string[]): FlatHeaders {
    const copy = flat.slice()
    for (let index = 0; index < copy.length; index += 2) {
      const treatment = this.#wayOf(copy[index]!)
      if (treatment === 'mask') copy[index + 1] = MASK
      else if (treatment === 'read') copy[index + 1] = this.#headerTexts.masked(copy[index + 1] ?? '')
    }
    return copy
  }

  /** The path and query of a request without secrets. */
  target(text: string): string {
    return this.#targets.masked(text)
  }

  /** The bytes of a cached answer that was sent before. */
  stored(body: string | Buffer, arena: Arena): Slot | undefined {
    const slot = this.#stored.get(body)
    return slot && arena.isFresh(slot) ? slot : undefined
  }

  store(body: string | Buffer, slot: Slot): void {
    if (this.#stored.size >= MAX_STORED) this.#stored.clear()
    this.#stored.set(body, slot)
  }

  /** For a new ring. */
  forgetBytes(): void {
    this.#stored.clear()
  }

  #wayOf(name: string): 'mask' | 'read' | 'keep' {
    const cached = this.#ways.get(name)
    if (cached !== undefined) return cached
    const small = name.toLowerCase()
    const isSecret = isSecretName(small) || small === 'x-csrf-token'
    const handling = isSecret ? 'mask' : USUAL.test(small) ? 'keep' : 'read'
    if (this.#ways.size < MAX_NAMES) this.#ways.set(name, handling)
    return handling
  }
}

/** Headers with values that contain no credentials. The values of others are searched for tokens. */
const USUAL =
  /^(host|connection|user-agent|accept(-.*)?|content-.*|if-.*|range|x-request-id|x-runtime|x-(gitlab|service)-meta|x-content-type-options|x-frame-options|vary|etag|cache-control|x-(total|page|per|next|prev).*|ratelimit-.*|sec-.*|origin|date)$/
