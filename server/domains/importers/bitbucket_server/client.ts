import type { Ctx } from '../../../ctx.ts'
import {
  textOf,
  inner,
  record,
  records,
  text,
  integer,
  type Fields,
  HostProblem,
  HostWaits,
} from '../hosts/answers.ts'
import {
  fetchFrom,
  parsed,
  problemOf,
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

/** A page of a list, and the number of the next record; null after the last. */
export interface BitbucketServerPage {
  readonly items: readonly Fields[]
  readonly next: number | null
}

/** Records of one page. */
const LIMIT = 100

/** A client of the REST API of a Bitbucket Server instance. Throws HostWaits, HostProblem, or the reason of the signal. */
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

  /** One record. */
  async one(path: string, query: Query = {}): Promise<Fields> {
    const object = record(await this.#send('GET', this.#url(path, query)))
    if (!object) throw new HostProblem(0, 'The other host sent an invalid answer.')
    return object
  }

  /** A page of a list, from the record `start` on. */
  async page(path: string, start: number, query: Query = {}, limit = LIMIT): Promise<BitbucketServerPage> {
    const page = await this.one(path, { ...query, start, limit })
    const items = records(page['values'])
    const next = page['isLastPage'] === false ? integer(page, 'nextPageStart') : null
    // Prevents an endless loop if the start does not advance.
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
    return withRetries(() => this.#ask(method, url, body), this.#options)
  }

  async #ask(method: string, url: string, body: unknown): Promise<unknown> {
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
    if (response.ok) return parsed(answer)
    if (response.status === 429) throw new HostWaits(retryAfter(response.headers, this.#options.now()))
    throw problemOf(response.status, answer, messageOf)
  }
}

/** The message of an error. */
function messageOf(answer: unknown): string | null {
  const body = record(answer)
  return text(records(body?.['errors'])[0] ?? null, 'message') ?? text(inner(body, 'error'), 'message')
}

/** The URLs of a Bitbucket Server instance, without a final slash. */
export interface BitbucketServerAddress {
  /** Base of its pages; it may have a path. */
  readonly web: string
  /** Base of its REST API, version 1.0. */
  readonly api: string
  /** Base of the API for branches. */
  readonly branches: string
}

/** The URLs of an instance (spec administration 6.10). Undefined for anything but an http or https URL. */
export function bitbucketServerAddress(input: string): BitbucketServerAddress | undefined {
  const url = URL.parse(input.trim())
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === '') return undefined
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') return undefined
  const web = url.origin + url.pathname.replace(/\/+$/, '')
  return { web, api: `${web}/rest/api/1.0`, branches: `${web}/rest/branch-utils/1.0` }
}

/** The error for refused credentials. */
export const DENIED = 'The other host does not accept the user name and the token.'

/** The answer to a request that failed because of an error of the host (spec administration 6.10). */
export function refusalOf(error: unknown, address: string): unknown {
  return hosts.refusalOf(error, address, ({ status, message, isPassing }) => {
    if (status === 401) return hosts.refuse('unprocessable', DENIED)
    if (isPassing) return hosts.refuse('unavailable', `Import failed: ${message}`)
    return hosts.refuse('unprocessable', `Import failed (HTTP ${status}): ${message}`)
  })
}
