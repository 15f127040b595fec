import { setTimeout as pause } from 'node:timers/promises'

import type { Response } from 'undici'

import type { Ctx } from '../../../../ctx.ts'
import { HOST_A_MEDIA_TYPE } from '../../../../lib/aliases.ts'
import { isForbidden } from '../../../import_export/index.ts'
import {
  textOf,
  unreachable,
  records,
  record,
  type Fields,
  HostProblem,
  HostWaits,
} from '../../hosts/answers.ts'
import type { GithubAddress } from './address.ts'
import { isLimited, pauseAfter, retryAfter } from './limits.ts'

/** How the client is used. */
export interface ClientOptions {
  readonly token: string
  readonly signal?: AbortSignal | undefined
  /** The time as it is now. */
  readonly now: () => string
  /** How often a request goes out in all, while the host is broken; 3 unless said otherwise. */
  readonly attempts?: number
  /** How long one answer may take; a minute unless said otherwise. */
  readonly timeoutMs?: number
}

/** An answer; `value` is undefined for one that is as it was (304). */
export interface GithubAnswer {
  readonly value: unknown
  readonly etag: string | null
  /** Address of the next page; null on the last one. */
  readonly next: string | null
  /** Number of the last page, where the host says it. */
  readonly lastPage: number | null
}

/** A page of a list. */
export interface GithubPage extends GithubAnswer {
  readonly items: readonly Fields[]
}

export type Query = Readonly<Record<string, string | number>>

const ATTEMPTS = 3
/** Before the second try; four times as long before each further one. */
const PAUSE_MS = 100
const TIMEOUT_MS = 60_000

/** Reads from the API of GitHub. Throws HostWaits, HostProblem, or the reason of the signal. */
export class GithubClient {
  readonly address: GithubAddress
  readonly #outbound: Ctx['outbound']
  readonly #options: ClientOptions
  /** Until when the host is to be left alone. */
  #pause: string | undefined

  constructor(ctx: Pick<Ctx, 'outbound'>, address: GithubAddress, options: ClientOptions) {
    this.#outbound = ctx.outbound
    this.address = address
    this.#options = options
  }

  /** The address of something, by its path below the API. */
  url(path: string, query: Query = {}): string {
    const url = new URL(this.address.api + path)
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value))
    return url.toString()
  }

  /** One record. Throws HostProblem for anything else. */
  async one(path: string, query?: Query): Promise<Fields> {
    const { value } = await this.get(this.url(path, query))
    const found = record(value)
    if (!found) throw new HostProblem(0, 'The other host answered something that is not understood.')
    return found
  }

  /** A page of a list, by its address. */
  async page(url: string): Promise<GithubPage> {
    const answer = await this.get(url)
    return { ...answer, items: records(answer.value) }
  }

  /** The address of the first page of a list. */
  list(path: string, query: Query = {}): string {
    return this.url(path, { ...query, per_page: 100 })
  }

  /** An answer of the API. With `etag`, only what is another one than that. */
  async get(url: string, { etag }: { readonly etag?: string | undefined } = {}): Promise<GithubAnswer> {
    const most = this.#options.attempts ?? ATTEMPTS
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#ask(url, etag)
      } catch (error) {
        const isPassing = error instanceof HostProblem && error.isPassing && !isForbidden(error)
        if (!isPassing || attempt >= most) throw error
        await pause(PAUSE_MS * 4 ** (attempt - 1), undefined, {
          signal: this.#options.signal,
          ref: false,
        }).catch(() => this.#options.signal?.throwIfAborted())
      }
    }
  }

  async #ask(url: string, etag: string | undefined): Promise<GithubAnswer> {
    const { now } = this.#options
    if (this.#pause && this.#pause > now()) throw new HostWaits(this.#pause)
    const response = await this.#send(url, etag)
    this.#pause = pauseAfter(response.headers, now())
    const body = response.status === 304 ? '' : await textOf(response, this.#options.signal)
    if (response.status === 304 || response.ok) return this.#understand(response, body)
    if (isLimited(response.status, response.headers, body))
      throw new HostWaits((this.#pause = retryAfter(response.headers, now())))
    throw new HostProblem(response.status, saidBy(body))
  }

  async #send(url: string, etag: string | undefined): Promise<Response> {
    const { token, signal, timeoutMs } = this.#options
    const headers = {
      accept: HOST_A_MEDIA_TYPE,
      authorization: `Bearer ${token}`,
      'user-agent': 'Deskforge',
      ...(etag ? { 'if-none-match': etag } : {}),
    }
    const late = AbortSignal.timeout(timeoutMs ?? TIMEOUT_MS)
    try {
      return await this.#outbound.fetch(url, {
        headers,
        signal: signal ? AbortSignal.any([signal, late]) : late,
      })
    } catch (error) {
      throw unreachable(error, this.#options.signal)
    }
  }

  #understand(response: Response, body: string): GithubAnswer {
    const links = linksOf(response.headers.get('link'))
    const last = links.get('last') && Number(new URL(links.get('last')!).searchParams.get('page'))
    return {
      value: response.status === 304 ? undefined : parsed(body),
      etag: response.headers.get('etag'),
      next: this.#own(links.get('next')),
      lastPage: last && Number.isSafeInteger(last) ? last : null,
    }
  }

  /** The token is for this host alone, wherever a link leads. */
  #own(link: string | undefined): string | null {
    if (!link) return null
    const { pathname, search } = new URL(link)
    return new URL(this.address.api).origin + pathname + search
  }
}

function parsed(body: string): unknown {
  try {
    return body === '' ? null : (JSON.parse(body) as unknown)
  } catch {
    throw new HostProblem(0, 'The other host answered something that is not JSON.')
  }
}

/** The addresses of a Link header, by their relation. */
function linksOf(header: string | null): Map<string, string> {
  const links = [...(header ?? '').matchAll(/<([^<>\s]+)>\s*;\s*rel="?(next|last)"?/g)]
  return new Map(links.flatMap(([, url, rel]) => (URL.canParse(url!) ? [[rel!, url!] as const] : [])))
}

/** What the host says is wrong, in at most a line. */
function saidBy(body: string): string {
  try {
    const { message } = JSON.parse(body) as { message?: unknown }
    if (typeof message === 'string') return message.replace(/\s+/g, ' ').slice(0, 200)
  } catch {
    // Proxies answer pages.
  }
  return 'The other host refused.'
}
