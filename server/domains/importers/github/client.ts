import type { Response } from 'undici'
import type { Ctx } from '../../../ctx.ts'
import { HOST_A_MEDIA_TYPE, HOST_A_API, HOST_A_WEB } from '../../../lib/aliases.ts'
import { textOf, record, records, text, type Fields, HostProblem, HostWaits } from '../hosts/answers.ts'
import {
  fetchFrom,
  parsed,
  problemOf,
  withRetries,
  type ClientOptions,
  type Query,
  isLimited,
  pauseAfter,
  retryAfter,
} from '../hosts/client.ts'

/** The URLs of a GitHub host. */
export interface GithubAddress {
  /** Base of its API, without a final slash. */
  readonly api: string
  /** Origin of its pages and repositories. */
  readonly web: string
  readonly isPublic: boolean
}

export const GITHUB: GithubAddress = { api: HOST_A_API, web: HOST_A_WEB, isPublic: true }

/**
 * The URLs of a host: of the public one without a name, else of a private one (spec administration 6.9: its API is below
 * `/api/v3` unless the path names another). Undefined for anything but an http or https URL.
 */
export function githubAddress(hostname?: string): GithubAddress | undefined {
  if (hostname === undefined || hostname.trim() === '') return GITHUB
  const url = URL.parse(hostname.trim())
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === '') return undefined
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') return undefined
  if ([HOST_A_API, HOST_A_WEB].includes(url.origin)) return GITHUB
  const path = url.pathname.replace(/\/+$/, '')
  const api = `${path}/`.startsWith('/api/') ? path : `${path}/api/v3`
  return { api: url.origin + api, web: url.origin, isPublic: false }
}

/** An answer; `value` is undefined for an unchanged one (304). */
interface GithubAnswer {
  readonly value: unknown
  readonly etag: string | null
  /** Address of the next page; null on the last one. */
  readonly next: string | null
  /** Number of the last page, if GitHub sends it. */
  readonly lastPage: number | null
}

/** A page of a list. */
interface GithubPage extends GithubAnswer {
  readonly items: readonly Fields[]
}

/** Reads from the API of GitHub. Throws HostWaits, HostProblem, or the reason of the signal. */
export class GithubClient {
  readonly address: GithubAddress
  readonly #outbound: Ctx['outbound']
  readonly #options: ClientOptions
  /** Until when no request may be sent. */
  #pause: string | undefined

  constructor(ctx: Pick<Ctx, 'outbound'>, address: GithubAddress, options: ClientOptions) {
    this.#outbound = ctx.outbound
    this.address = address
    this.#options = options
  }

  /** The URL of a path below the API. */
  url(path: string, query: Query = {}): string {
    const url = new URL(this.address.api + path)
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value))
    return url.toString()
  }

  /** One record. Throws HostProblem for anything else. */
  async one(path: string, query?: Query): Promise<Fields> {
    const { value } = await this.get(this.url(path, query))
    const object = record(value)
    if (!object) throw new HostProblem(0, 'The other host sent an invalid answer.')
    return object
  }

  /** A page of a list, by its URL. */
  async page(url: string): Promise<GithubPage> {
    const answer = await this.get(url)
    return { ...answer, items: records(answer.value) }
  }

  /** The URL of the first page of a list. */
  list(path: string, query: Query = {}): string {
    return this.url(path, { ...query, per_page: 100 })
  }

  /** An answer of the API. With `etag`, only a changed one. */
  async get(url: string, { etag }: { readonly etag?: string | undefined } = {}): Promise<GithubAnswer> {
    return withRetries(() => this.#ask(url, etag), this.#options)
  }

  async #ask(url: string, etag: string | undefined): Promise<GithubAnswer> {
    const { now } = this.#options
    if (this.#pause && this.#pause > now()) throw new HostWaits(this.#pause)
    const response = await this.#send(url, etag)
    this.#pause = pauseAfter(response.headers, now())
    const body = response.status === 304 ? '' : await textOf(response, this.#options.signal)
    if (response.status === 304 || response.ok) return this.#parse(response, body)
    if (isLimited(response.status, response.headers, body))
      throw new HostWaits((this.#pause = retryAfter(response.headers, now())))
    throw problemOf(response.status, body, (answer) => text(record(answer), 'message'))
  }

  async #send(url: string, etag: string | undefined): Promise<Response> {
    const headers = {
      accept: HOST_A_MEDIA_TYPE,
      authorization: `Bearer ${this.#options.token}`,
      'user-agent': 'Deskforge',
      ...(etag ? { 'if-none-match': etag } : {}),
    }
    return fetchFrom(this.#outbound, url, { headers }, this.#options)
  }

  #parse(response: Response, body: string): GithubAnswer {
    const links = linksOf(response.headers.get('link'))
    const last = links.get('last') && Number(new URL(links.get('last')!).searchParams.get('page'))
    return {
      value: response.status === 304 ? undefined : parsed(body),
      etag: response.headers.get('etag'),
      next: this.#own(links.get('next')),
      lastPage: last && Number.isSafeInteger(last) ? last : null,
    }
  }

  /** The token is for this host only, even if a link names another one. */
  #own(link: string | undefined): string | null {
    if (!link) return null
    const { pathname, search } = new URL(link)
    return new URL(this.address.api).origin + pathname + search
  }
}

/** The URLs of a Link header, by their relation. */
function linksOf(header: string | null): Map<string, string> {
  const links = [...(header ?? '').matchAll(/<([^<>\s]+)>\s*;\s*rel="?(next|last)"?/g)]
  return new Map(links.flatMap(([, url, rel]) => (URL.canParse(url!) ? [[rel!, url!] as const] : [])))
}
