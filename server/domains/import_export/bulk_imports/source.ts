import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

import type { Ctx } from '../../../ctx.ts'
import { problemOf, problemOfStatus, SourceProblem } from './source-problem.ts'

/** Longest answer that is read, bytes. A page of a hundred projects has half a megabyte. */
const MAX_ANSWER = 8 * 1024 * 1024
const TIMEOUT_MS = 30_000
const DOWNLOAD_TIMEOUT_MS = 3 * 3600 * 1000
const PER_PAGE = 100
/** Pages of one list; more than an instance can have groups below one. */
const MAX_PAGES = 10_000

type Json = Readonly<Record<string, unknown>>

/** The instance that things are taken over from: its API, asked with the token of a user there. */
export class SourceInstance {
  readonly #ctx: Pick<Ctx, 'outbound'>
  readonly #token: string
  readonly #signal: AbortSignal | undefined
  /** Base address, without a slash at its end. */
  readonly url: string
  readonly host: string

  constructor(
    ctx: Pick<Ctx, 'outbound'>,
    at: { url: string; token: string; signal?: AbortSignal | undefined },
  ) {
    this.#ctx = ctx
    this.#token = at.token
    this.#signal = at.signal
    this.url = at.url
    this.host = new URL(at.url).host
  }

  /** What git is told to sign in with. */
  get authorization(): string {
    return `Basic ${Buffer.from(`oauth2:${this.#token}`).toString('base64')}`
  }

  /** One record. Throws SourceProblem. */
  async get(path: string): Promise<Json> {
    const { body } = await this.#json('GET', path)
    if (typeof body !== 'object' || body === null || Array.isArray(body))
      throw new SourceProblem(`${this.host} answered with something else than expected.`)
    return body as Json
  }

  async post(path: string): Promise<void> {
    await this.#json('POST', path)
  }

  /** A list without pages. Throws SourceProblem. */
  async list(path: string): Promise<Json[]> {
    return listOf((await this.#json('GET', path)).body, this.host)
  }

  /** All pages of a list, one after the other. Throws SourceProblem. */
  async *pages(path: string): AsyncGenerator<Json[]> {
    for (let page = 1; page <= MAX_PAGES; page++) {
      const separator = path.includes('?') ? '&' : '?'
      const { body, headers } = await this.#json(
        'GET',
        `${path}${separator}per_page=${PER_PAGE}&page=${page}`,
      )
      const rows = listOf(body, this.host)
      yield rows
      // Some proxies take the headers away; a page that is not full is the last one.
      const next = headers.get('x-next-page')
      if (next === '' || (next === null && rows.length < PER_PAGE) || rows.length === 0) return
    }
  }

  /** Writes the body of an answer to a file, at most `max` bytes (0 for any). Throws SourceProblem and leaves no file. */
  async download(path: string, file: string, max: number): Promise<number> {
    const response = await this.#ask('GET', path, DOWNLOAD_TIMEOUT_MS)
    const tooLarge = new SourceProblem('A file of the other instance is larger than the settings here allow.')
    let size = 0
    try {
      if (max > 0 && Number(response.headers.get('content-length')) > max) throw tooLarge
      const counted = async function* (chunks: AsyncIterable<Uint8Array>) {
        for await (const chunk of chunks) {
          size += chunk.length
          if (max > 0 && size > max) throw tooLarge
          yield chunk
        }
      }
      const body = response.body ? Readable.fromWeb(response.body as never) : Readable.from([])
      await pipeline(body, counted, createWriteStream(file))
      return size
    } catch (error) {
      await response.body?.cancel().catch(() => undefined)
      await rm(file, { force: true })
      this.#signal?.throwIfAborted()
      throw problemOf(error, this.host)
    }
  }

  async #json(method: 'GET' | 'POST', path: string): Promise<{ body: unknown; headers: Headers }> {
    const response = await this.#ask(method, path, TIMEOUT_MS)
    try {
      const text = await textOf(response, MAX_ANSWER)
      return {
        body: text === '' ? null : (JSON.parse(text) as unknown),
        headers: response.headers as Headers,
      }
    } catch (error) {
      this.#signal?.throwIfAborted()
      if (error instanceof SyntaxError)
        throw new SourceProblem(`${this.host} answered with something else than expected.`)
      throw problemOf(error, this.host)
    }
  }

  async #ask(method: 'GET' | 'POST', path: string, timeoutMs: number) {
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
  if (!Array.isArray(body)) throw new SourceProblem(`${host} answered with something else than expected.`)
  return body.filter((one): one is Json => typeof one === 'object' && one !== null && !Array.isArray(one))
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
