import { performance } from 'node:perf_hooks'

import type { Ctx } from '../../../ctx.ts'
import type { Purpose } from '../../../lib/outbound.ts'
import { problemOf } from './problem.ts'

/** What is kept of an answer (spec administration 3.7). */
const MAX_BODY = 8 * 1024
const MAX_HEADERS = 50
const MAX_HEADER = 1024

/** A request as it goes out; the address has no user name and password. */
export interface Request {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
  readonly trustAnyCertificate: boolean
  readonly purpose: Purpose
}

/** What came of it. Without a status there was no answer, and `error` says why. */
export interface Outcome {
  readonly status: number | null
  readonly headers: Readonly<Record<string, string>> | null
  readonly body: string | null
  readonly error: string | null
  readonly duration_ms: number
  /** Nothing was tried: by a rule of this instance, or because the message is none that can go out. */
  readonly unsent?: 'held_back' | 'impossible'
}

/**
 * Sends one request and reads at most 8 KiB of the answer, within the time that receivers have for all of it. Never throws
 * for what the other side does. Redirects are not followed: where they lead was not what the owner entered, and 3xx counts
 * as an answer like any other.
 */
export async function exchange(ctx: Pick<Ctx, 'outbound' | 'config'>, request: Request): Promise<Outcome> {
  const { method, url, body, trustAnyCertificate, purpose } = request
  const began = performance.now()
  const took = () => Math.round(performance.now() - began)
  const timeoutMs = ctx.config.hookTimeoutMs
  try {
    const response = await ctx.outbound.fetch(url, {
      method,
      headers: bytesOf(request.headers),
      ...(body === undefined ? {} : { body }),
      redirect: 'manual',
      trustAnyCertificate,
      purpose,
      signal: AbortSignal.timeout(timeoutMs),
    })
    const text = response.body ? await readStart(response.body) : ''
    const { status } = response
    return { status, headers: keptHeaders(response.headers), body: text, error: null, duration_ms: took() }
  } catch (error) {
    const nothing = { status: null, headers: null, body: null }
    return { ...nothing, error: problemOf(error, timeoutMs), duration_ms: took() }
  }
}

/** Headers are bytes; the client takes characters up to 255 for them. Line ends would end a header. */
function bytesOf(headers: Readonly<Record<string, string>>): Record<string, string> {
  const clean = (value: string) => Buffer.from(value.replace(/[\r\n\0]/g, ''), 'utf8').toString('latin1')
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, clean(value)]))
}

interface Stream {
  getReader(): {
    read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>
    cancel(): Promise<void>
  }
}

/** The first 8 KiB; the rest is not waited for. */
async function readStart(stream: Stream): Promise<string> {
  const reader = stream.getReader()
  const parts: Uint8Array[] = []
  let length = 0
  while (length < MAX_BODY) {
    const { done, value } = await reader.read()
    if (done || !value) return textOf(parts)
    parts.push(value)
    length += value.length
  }
  await reader.cancel().catch(() => undefined)
  return textOf(parts)
}

function textOf(parts: readonly Uint8Array[]): string {
  const start = Buffer.concat(parts).subarray(0, MAX_BODY)
  return start.toString('utf8').replaceAll('\0', '\uFFFD')
}

function keptHeaders(headers: { entries(): Iterable<[string, string]> }): Record<string, string> {
  const kept = [...headers.entries()].slice(0, MAX_HEADERS)
  return Object.fromEntries(kept.map(([name, value]) => [capitalised(name), value.slice(0, MAX_HEADER)]))
}

function capitalised(name: string): string {
  return name.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase())
}
