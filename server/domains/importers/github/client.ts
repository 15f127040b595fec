import type { Response } from 'undici'
import type { Ctx } from '../../../ctx.ts'
import { HOST_A_MEDIA_TYPE, HOST_A_API, HOST_A_WEB, HOST_A_NAME } from '../../../lib/aliases.ts'
import { textOf, record, records, text, type Fields, HostError, RateLimited } from '../hosts/answers.ts'
import {
  fetchFrom,
  parseJson,
  errorOf,
  withRetries,
  type ClientOptions,
  type Query,
  isLimited,
  pauseAfter,
  retryAfter,
} from '../hosts/client.ts'
import { Failure } from '../../../lib/fail.ts'
import * as hosts from '../hosts/request.ts'

/** The URLs of a GitHub host. */
export interface GithubAddress {
  /** Base URL of its API, without a trailing slash. */
  readonly api: string
  /** Origin of its pages and repositories. */
  readonly web: string
  readonly isPublic: boolean
}

export const GITHUB: GithubAddress = { api: HOST_A_API, web: HOST_A_WEB, isPublic: true }

/**
 * Returns the URLs of a GitHub host: of the public one without a host name, otherwise of a private one. The API of a
 * private host is below `/api/v3` unless the path names another (spec administration 6.9). Returns undefined for an
 * address that is no HTTP or HTTPS URL.
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

/** An answer of the API. */
interface GithubAnswer {
  /** The parsed JSON; undefined if the resource has not changed (304). */
  readonly value: unknown
  readonly etag: string | null
  /** URL of the next page; null on the last page. */
  readonly next: string | null
  /** Number of the last page, if GitHub sends it. */
  readonly lastPage: number | null
}

/** A page of a list. */
interface GithubPage extends GithubAnswer {
  readonly items: readonly Fields[]
}

/** A client that reads from the REST API of GitHub. Throws RateLimited, HostError, or the reason of the signal. */
export class GithubClient {
  readonly address: GithubAddress
  readonly #outbound: Ctx['outbound']
  readonly #options: ClientOptions
  /** Time until which no request may be sent, because of a rate limit. */
  #pausedUntil: string | undefined

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

  /** Requests a single record. Throws HostError for an answer that is none. */
  async fetchRecord(path: string, query?: Query): Promise<Fields> {
    const { value } = await this.fetchUrl(this.url(path, query))
    const object = record(value)
    if (!object) throw new HostError(0, 'The other host sent an invalid answer.')
    return object
  }

  /** Requests a page of a list by its URL. */
  async fetchPage(url: string): Promise<GithubPage> {
    const answer = await this.fetchUrl(url)
    return { ...answer, items: records(answer.value) }
  }

  /** The URL of the first page of a list. */
  firstPageUrl(path: string, query: Query = {}): string {
    return this.url(path, { ...query, per_page: 100 })
  }

  /** Requests a URL. With `etag`, the answer has a value only if the resource has changed. */
  async fetchUrl(url: string, { etag }: { readonly etag?: string | undefined } = {}): Promise<GithubAnswer> {
    return withRetries(() => this.#request(url, etag), this.#options)
  }

  async #request(url: string, etag: string | undefined): Promise<GithubAnswer> {
    const { now } = this.#options
    if (this.#pausedUntil && this.#pausedUntil > now()) throw new RateLimited(this.#pausedUntil)
    const response = await this.#send(url, etag)
    this.#pausedUntil = pauseAfter(response.headers, now())
    const body = response.status === 304 ? '' : await textOf(response, this.#options.signal)
    if (response.status === 304 || response.ok) return this.#parse(response, body)
    if (isLimited(response.status, response.headers, body))
      throw new RateLimited((this.#pausedUntil = retryAfter(response.headers, now())))
    throw errorOf(response.status, body, (answer) => text(record(answer), 'message'))
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
      value: response.status === 304 ? undefined : parseJson(body),
      etag: response.headers.get('etag'),
      next: this.#sameHostUrl(links.get('next')),
      lastPage: last && Number.isSafeInteger(last) ? last : null,
    }
  }

  /** Moves a link to the host of the API. The token must not reach another host, even if a link leads there. */
  #sameHostUrl(link: string | undefined): string | null {
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

/** Returns the answer to a request that failed because of an error of GitHub (spec administration 6.9). */
export function refusalOf(error: unknown, address: string): unknown {
  return hosts.refusalOf(error, address, ({ status, message }) => {
    if (status === 401) return new Failure('unauthorized', undefined, { body: { error: deniedSentence() } })
    const code = status === 0 ? '' : ` (HTTP ${status})`
    return hosts.refuse('unprocessable', `Import failed due to a ${HOST_A_NAME} error: ${message}${code}`)
  })
}

/** The error message for a refused token (spec administration 6.9). */
export function deniedSentence(): string {
  return `Access denied to your ${HOST_A_NAME} account.`
}
