import { setTimeout as pause } from 'node:timers/promises'

import type { Response } from 'undici'

import type { Ctx } from '../../../ctx.ts'
import {
  textOf,
  unreachable,
  inner,
  record,
  records,
  text,
  whole,
  type Fields,
  HostProblem,
  HostWaits,
} from '../hosts/answers.ts'
import { retryAfter } from '../github/client/limits.ts'
import { Failure } from '../../../lib/fail.ts'
import { isForbidden } from '../../import_export/index.ts'
import { invalidUrl, refuse } from '../github/refusals.ts'

/** How the client signs in, and is used. */
export interface BitbucketServerOptions {
  readonly username: string
  readonly token: string
  readonly signal?: AbortSignal | undefined
  /** The time as it is now. */
  readonly now: () => string
  /** How often a request goes out in all, while the host is broken; 3 unless said otherwise. */
  readonly attempts?: number
}

/** A page of a list, and where the next one begins; null after the last. */
export interface BitbucketServerPage {
  readonly items: readonly Fields[]
  readonly next: number | null
}

export type Query = Readonly<Record<string, string | number>>

const ATTEMPTS = 3
/** Before the second try; four times as long before each further one. */
const PAUSE_MS = 100
const TIMEOUT_MS = 60_000
/** Records that are asked for at once. */
const LIMIT = 100

/** Speaks with the REST interface of a Bitbucket Server instance. Throws HostWaits, HostProblem, or the reason of the signal. */
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
    const found = record(await this.#send('GET', this.#url(path, query)))
    if (!found) throw new HostProblem(0, 'The other host answered something that is not understood.')
    return found
  }

  /** A page of a list, from a record on. */
  async page(path: string, start: number, query: Query = {}, limit = LIMIT): Promise<BitbucketServerPage> {
    const found = await this.one(path, { ...query, start, limit })
    const items = records(found['values'])
    const next = found['isLastPage'] === false ? whole(found, 'nextPageStart') : null
    // A list that does not go on would be read for ever.
    return { items, next: next !== null && next > start ? next : null }
  }

  /** Makes a branch. */
  async createBranch(repository: string, name: string, startPoint: string): Promise<void> {
    await this.#send('POST', this.#url(`${repository}/branches`), { name, startPoint })
  }

  /** Removes a branch. */
  async removeBranch(repository: string, name: string): Promise<void> {
    const url = `${this.address.branches}${repository}/branches`
    await this.#send('DELETE', url, { name: `refs/heads/${name}`, dryRun: false })
  }

  #url(path: string, query: Query = {}): string {
    const values = Object.entries(query).map(([name, value]) => [name, String(value)] as [string, string])
    return `${this.address.api}${path}${values.length > 0 ? `?${new URLSearchParams(values)}` : ''}`
  }

  async #send(method: string, url: string, body?: unknown): Promise<unknown> {
    const most = this.#options.attempts ?? ATTEMPTS
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#ask(method, url, body)
      } catch (error) {
        const isPassing = error instanceof HostProblem && error.isPassing
        if (!isPassing || attempt >= most) throw error
        const { signal } = this.#options
        await pause(PAUSE_MS * 4 ** (attempt - 1), undefined, { signal, ref: false }).catch(() =>
          signal?.throwIfAborted(),
        )
      }
    }
  }

  async #ask(method: string, url: string, body: unknown): Promise<unknown> {
    const response = await this.#request(method, url, body)
    const answer = await textOf(response, this.#options.signal)
    if (response.ok) return parsed(answer)
    if (response.status === 429) throw new HostWaits(retryAfter(response.headers, this.#options.now()))
    throw new HostProblem(response.status, saidBy(answer))
  }

  async #request(method: string, url: string, body: unknown): Promise<Response> {
    const { signal } = this.#options
    const headers = {
      accept: 'application/json',
      authorization: this.authorization,
      'user-agent': 'Deskforge',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    }
    const late = AbortSignal.timeout(TIMEOUT_MS)
    try {
      return await this.#outbound.fetch(url, {
        method,
        headers,
        // A redirect could lead the credentials elsewhere.
        redirect: 'error',
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: signal ? AbortSignal.any([signal, late]) : late,
      })
    } catch (error) {
      throw unreachable(error, this.#options.signal)
    }
  }
}

function parsed(body: string): unknown {
  try {
    return body === '' ? null : (JSON.parse(body) as unknown)
  } catch {
    throw new HostProblem(0, 'The other host answered something that is not JSON.')
  }
}

/** What the host says is wrong, in at most a line. */
function saidBy(body: string): string {
  try {
    const said = record(JSON.parse(body))
    const message =
      text(records(said?.['errors'])[0] ?? null, 'message') ?? text(inner(said, 'error'), 'message')
    if (message !== null) return message.replace(/\s+/g, ' ').slice(0, 200)
  } catch {
    // Proxies answer pages.
  }
  return 'The other host refused.'
}
/** Where a Bitbucket Server instance is; nothing has a slash at its end. */
export interface BitbucketServerAddress {
  /** What its pages begin with, which may have a path. */
  readonly web: string
  /** Base of its REST interface, version 1.0. */
  readonly api: string
  /** Base of the interface for branches. */
  readonly branches: string
}
/** The addresses of a host (spec administration 6.10). Undefined for what is no http or https address. */
export function bitbucketServerAddress(given: string): BitbucketServerAddress | undefined {
  const url = URL.parse(given.trim())
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname === '') return undefined
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') return undefined
  const web = url.origin + url.pathname.replace(/\/+$/, '')
  return { web, api: `${web}/rest/api/1.0`, branches: `${web}/rest/branch-utils/1.0` }
}
/** What is said where the other host does not take user name and token. */
export const DENIED = 'The other host does not accept the user name and the token.'
/** The failure that a caller gets for a problem with the other host (spec administration 6.10); anything else stays as it is. */
export function refusalOf(error: unknown, address: string): unknown {
  if (isForbidden(error)) return invalidUrl(address)
  if (error instanceof HostWaits)
    return new Failure('too_many', undefined, { body: { error: 'Too Many Requests' } })
  if (!(error instanceof HostProblem)) return error
  if (error.status === 401) return refuse('unprocessable', DENIED)
  if (error.isPassing) return refuse('unavailable', `Import failed: ${error.message}`)
  return refuse('unprocessable', `Import failed (HTTP ${error.status}): ${error.message}`)
}
