import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

import type { Ctx } from '../../../ctx.ts'
import { ForbiddenDestination } from '../../../lib/outbound.ts'
import type { BulkImportRow } from './state.ts'

/** The encryption purpose of a run's token. */
export const SECRET_PURPOSE = 'bulk_imports.access_token'

/** The instance that a run migrates from; undefined if the token was deleted. */
export function sourceOf(ctx: Ctx, row: BulkImportRow, signal?: AbortSignal): SourceInstance | undefined {
  if (row.access_token === null) return undefined
  const token = ctx.secrets.open(row.access_token, SECRET_PURPOSE).toString()
  return new SourceInstance(ctx, { url: row.source_url, token, signal })
}

/** The path of a group or project in the API. */
export function apiPathOf(entity: {
  readonly source_type: string
  readonly source_full_path: string
  readonly source_xid?: number | null
}): string {
  const kind = entity.source_type === 'group_entity' ? 'groups' : 'projects'
  return `/${kind}/${entity.source_xid ?? encodeURIComponent(entity.source_full_path)}`
}

/** An error of the other instance, as a message for users without credentials and stacks. */
export class SourceProblem extends Error {
  /** The HTTP status of the answer; 0 without an answer. */
  readonly status: number
  /** Whether another attempt may succeed. */
  readonly isTemporary: boolean
  /** Milliseconds until the next attempt, if the other instance sent a rate limit. */
  readonly delayMs: number

  constructor(sentence: string, { status = 0, isTemporary = false, delayMs = 0 } = {}) {
    super(sentence)
    this.name = 'SourceProblem'
    this.status = status
    this.isTemporary = isTemporary
    this.delayMs = delayMs
  }
}

/** Converts the error of a request without an answer. */
export function problemOf(error: unknown, host: string): SourceProblem {
  if (error instanceof SourceProblem) return error
  const causes = [error, (error as { cause?: unknown } | null)?.cause]
  const forbidden = causes.find((cause) => cause instanceof ForbiddenDestination)
  if (forbidden) return new SourceProblem(forbidden.message)
  const name = (error as { name?: string } | null)?.name
  if (name === 'TimeoutError' || name === 'AbortError')
    return new SourceProblem(`${host} did not answer in time.`, { isTemporary: true })
  return new SourceProblem(`${host} could not be reached.`, { isTemporary: true })
}

const STATUS_SENTENCES: Readonly<Record<number, string>> = {
  401: 'The access token is not valid there.',
  403: 'The access token may not do that there.',
  404: 'It was not found there.',
}

/** The error for an answer with an error status. */
export function problemOfStatus(status: number, host: string, headers: Headers): SourceProblem {
  if (status === 429) {
    const seconds = Number(headers.get('retry-after')) || secondsUntilReset(headers)
    const delayMs = Math.min(Math.max(seconds, 1), 3600) * 1000
    return new SourceProblem(`${host} received too many requests.`, { status, isTemporary: true, delayMs })
  }
  const sentence = STATUS_SENTENCES[status]
  if (sentence) return new SourceProblem(sentence, { status })
  if (status >= 300 && status < 400)
    return new SourceProblem(`${host} led to another address, which is not followed.`, { status })
  return new SourceProblem(`${host} answered with status ${status}.`, { status, isTemporary: status >= 500 })
}

function secondsUntilReset(headers: Headers): number {
  const reset = Number(headers.get('ratelimit-reset'))
  return reset > 0 ? reset - Date.now() / 1000 : 60
}

/** The maximum size of an answer in bytes. A page with a hundred projects has about half a megabyte. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024
const TIMEOUT_MS = 30_000
const DOWNLOAD_TIMEOUT_MS = 3 * 3600 * 1000
const PER_PAGE = 100
/** The maximum number of pages of a list. No group has so many subgroups or projects. */
const MAX_PAGES = 10_000

type Json = Readonly<Record<string, unknown>>

/** A client for the API of the instance that is migrated from, with the token of one of its users. */
export class SourceInstance {
  readonly #ctx: Pick<Ctx, 'outbound'>
  readonly #token: string
  readonly #signal: AbortSignal | undefined
  /** Base address, without a trailing slash. */
  readonly url: string
  readonly host: string

  constructor(
    ctx: Pick<Ctx, 'outbound'>,
    options: { url: string; token: string; signal?: AbortSignal | undefined },
  ) {
    this.#ctx = ctx
    this.#token = options.token
    this.#signal = options.signal
    this.url = options.url
    this.host = new URL(options.url).host
  }

  /** The `Authorization` header for git. */
  get authorization(): string {
    return `Basic ${Buffer.from(`oauth2:${this.#token}`).toString('base64')}`
  }

  /** Requests a single record. Throws SourceProblem. */
  async get(path: string): Promise<Json> {
    const { body } = await this.#json('GET', path)
    if (typeof body !== 'object' || body === null || Array.isArray(body))
      throw new SourceProblem(`${this.host} sent an unexpected answer.`)
    return body as Json
  }

  async post(path: string): Promise<void> {
    await this.#json('POST', path)
  }

  /** Requests a list that has no pages. Throws SourceProblem. */
  async list(path: string): Promise<Json[]> {
    return listOf((await this.#json('GET', path)).body, this.host)
  }

  /** Requests all pages of a list, one after the other. Throws SourceProblem. */
  async *pages(path: string): AsyncGenerator<Json[]> {
    for (let page = 1; page <= MAX_PAGES; page++) {
      const separator = path.includes('?') ? '&' : '?'
      const { body, headers } = await this.#json(
        'GET',
        `${path}${separator}per_page=${PER_PAGE}&page=${page}`,
      )
      const rows = listOf(body, this.host)
      yield rows
      // Some proxies remove the headers, so a page that is not full is the last one.
      const next = headers.get('x-next-page')
      if (next === '' || (next === null && rows.length < PER_PAGE) || rows.length === 0) return
    }
  }

  /**
   * Downloads a file of at most `max` bytes (0 for no limit). Throws SourceProblem and then leaves no file.
   */
  async download(path: string, file: string, max: number): Promise<number> {
    const response = await this.#request('GET', path, DOWNLOAD_TIMEOUT_MS)
    const tooLarge = new SourceProblem('A file of the other instance is larger than the settings here allow.')
    let size = 0
    try {
      if (max > 0 && Number(response.headers.get('content-length')) > max) throw tooLarge
      const limited = async function* (chunks: AsyncIterable<Uint8Array>) {
        for await (const chunk of chunks) {
          size += chunk.length
          if (max > 0 && size > max) throw tooLarge
          yield chunk
        }
      }
      const body = response.body
        ? Readable.from(response.body as AsyncIterable<Uint8Array>)
        : Readable.from([])
      await pipeline(body, limited, createWriteStream(file))
      return size
    } catch (error) {
      await response.body?.cancel().catch(() => undefined)
      await rm(file, { force: true })
      this.#signal?.throwIfAborted()
      throw problemOf(error, this.host)
    }
  }

  async #json(method: 'GET' | 'POST', path: string): Promise<{ body: unknown; headers: Headers }> {
    const response = await this.#request(method, path, TIMEOUT_MS)
    try {
      const text = await textOf(response, MAX_ANSWER_BYTES)
      return {
        body: text === '' ? null : (JSON.parse(text) as unknown),
        headers: response.headers as Headers,
      }
    } catch (error) {
      this.#signal?.throwIfAborted()
      if (error instanceof SyntaxError) throw new SourceProblem(`${this.host} sent an unexpected answer.`)
      throw problemOf(error, this.host)
    }
  }

  async #request(method: 'GET' | 'POST', path: string, timeoutMs: number) {
    const deadline = AbortSignal.timeout(timeoutMs)
    const signal = this.#signal ? AbortSignal.any([this.#signal, deadline]) : deadline
    const headers = { 'PRIVATE-TOKEN': this.#token, Accept: 'application/json, application/gzip, */*' }
    const init = { method, headers, signal, redirect: 'manual' as const }
    let response
    try {
      response = await this.#ctx.outbound.fetch(`${this.url}/api/v4${path}`, init)
    } catch (error) {
      this.#signal?.throwIfAborted()
      throw problemOf(error, this.host)
    }
    if (response.ok) return response
    await response.body?.cancel().catch(() => undefined)
    throw problemOfStatus(response.status, this.host, response.headers as Headers)
  }
}

function listOf(body: unknown, host: string): Json[] {
  if (!Array.isArray(body)) throw new SourceProblem(`${host} sent an unexpected answer.`)
  return body.filter(
    (item): item is Json => typeof item === 'object' && item !== null && !Array.isArray(item),
  )
}

async function textOf(response: { body: unknown }, max: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.length
    if (size > max) throw new SourceProblem('An answer of the other instance is too long.')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
