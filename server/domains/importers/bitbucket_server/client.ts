import type { Ctx } from '../../../ctx.ts'
import {
  textOf,
  recordIn,
  record,
  records,
  text,
  integer,
  type Fields,
  HostError,
  RateLimited,
} from '../hosts/answers.ts'
import {
  fetchFrom,
  parseJson,
  errorOf,
  withRetries,
  type ClientOptions,
  type Query,
  retryAfter,
} from '../hosts/client.ts'
import * as hosts from '../hosts/request.ts'

/** Options of the client. */
export interface BitbucketServerOptions extends ClientOptions {
  readonly username: string
}

/** A page of a list. `next` is the number of the first record on the next page; null on the last page. */
export interface BitbucketServerPage {
  readonly items: readonly Fields[]
  readonly next: number | null
}

/** Number of records on a page. */
const PAGE_SIZE = 100

/**
 * A client of the REST API of a Bitbucket Server instance. Throws RateLimited, HostError, or the reason of the signal.
 */
export class BitbucketServerClient {
  readonly address: BitbucketServerAddress
  readonly authorization: string
  readonly #outbound: Ctx['outbound']
  readonly #options: BitbucketServerOptions

  constructor(ctx: Pick<Ctx, 'outbound'>, address: BitbucketServerAddress, options: BitbucketServerOptions) {
    this.#outbound = ctx.outbound
    this.address = address
    this.#options = options
    const basic = Buffer.from(`${options.username}:${options.token}`).toString('base64')
    this.authorization = `Basic ${basic}`
  }

  /** Requests a single record. */
  async fetchRecord(path: string, query: Query = {}): Promise<Fields> {
    const object = record(await this.#send('GET', this.#url(path, query)))
    if (!object) throw new HostError(0, 'The other host sent an invalid answer.')
    return object
  }

  /** Requests a page of a list, which begins with the record number `start`. */
  async fetchPage(
    path: string,
    start: number,
    query: Query = {},
    limit = PAGE_SIZE,
  ): Promise<BitbucketServerPage> {
    const page = await this.fetchRecord(path, { ...query, start, limit })
    const items = records(page['values'])
    const next = page['isLastPage'] === false ? integer(page, 'nextPageStart') : null
    // An answer that does not advance would cause an endless loop.
    return { items, next: next !== null && next > start ? next : null }
  }

  /** Creates a branch. */
  async createBranch(repository: string, name: string, startPoint: string): Promise<void> {
    await this.#send('POST', this.#url(`${repository}/branches`), { name, startPoint })
  }

  /** Deletes a branch. */
  async removeBranch(repository: string, name: string): Promise<void> {
    const url = `${this.address.branches}${repository}/branches`
    await this.#send('DELETE', url, { name: `refs/heads/${name}`, dryRun: false })
  }

  #url(path: string, query: Query = {}): string {
    const values = Object.entries(query).map(([name, value]) => [name, String(value)] as [string, string])
    return `${this.address.api}${path}${values.length > 0 ? `?${new URLSearchParams(values)}` : ''}`
  }

  #send(method: string, url: string, body?: unknown): Promise<unknown> {
    return withRetries(() => this.#request(method, url, body), this.#options)
  }

  async #request(method: string, url: string, body: unknown): Promise<unknown> {
    const headers = {
      accept: 'application/json',
      authorization: this.authorization,
      'user-agent': 'Deskforge',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    }
    const init = {
      method,
      headers,
      // A redirect could send the credentials to another host.
      redirect: 'error',
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    } as const
    const response = await fetchFrom(this.#outbound, url, init, this.#options)
    const answer = await textOf(response, this.#options.signal)
    if (response.ok) return parseJson(answer)
    if (response.status === 429) throw new RateLimited(retryAfter(response.headers, this.#options.now()))
    throw errorOf(response.status, answer, messageOf)
  }
}

/** The message in the JSON of an error. */
function messageOf(answer: unknown): string | null {
  const body = record(answer)
  return text(records(body?.['errors'])[0] ?? null, 'message') ?? text(recordIn(body, 'error'), 'message')
}

/** The URLs of a Bitbucket Server instance, without trailing slashes. */
export interface BitbucketServerAddress {
  /** Base URL of its pages, which may have a path. */
  readonly web: string
  /** Base URL of its REST API, version 1.0. */
  readonly api: string
  /** Base URL of its API for branches. */
  readonly branches: string
}

/** Returns the URLs of an instance (spec administration 6.10); undefined for an address that is no HTTP or HTTPS URL. */
export function bitbucketServerAddress(input: string): BitbucketServerAddress | undefined {
  const url = URL.parse(input.trim())
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === '') return undefined
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') return undefined
  const web = url.origin + url.pathname.replace(/\/+$/, '')
  return { web, api: `${web}/rest/api/1.0`, branches: `${web}/rest/branch-utils/1.0` }
}

/** The error message for refused credentials. */
export const DENIED = 'The other host does not accept the user name and the token.'

/** Returns the answer to a request that failed because of an error of the host (spec administration 6.10). */
export function refusalOf(error: unknown, address: string): unknown {
  return hosts.refusalOf(error, address, ({ status, message, isTemporary }) => {
    if (status === 401) return hosts.refuse('unprocessable', DENIED)
    if (isTemporary) return hosts.refuse('unavailable', `Import failed: ${message}`)
    return hosts.refuse('unprocessable', `Import failed (HTTP ${status}): ${message}`)
  })
}
