import { performance } from 'node:perf_hooks'

import type { Ctx } from '../../../ctx.ts'
import { ForbiddenDestination, type Purpose } from '../../../lib/outbound.ts'

/** Sentences for error codes. */
const SENTENCES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'The connection was refused.',
  ECONNRESET: 'The connection was closed before the answer was complete.',
  EPIPE: 'The connection was closed before the answer was complete.',
  UND_ERR_SOCKET: 'The connection was closed before the answer was complete.',
  ENOTFOUND: 'The name of the host could not be resolved.',
  EAI_AGAIN: 'The name of the host could not be resolved.',
  EAI_FAIL: 'The name of the host could not be resolved.',
  EHOSTUNREACH: 'The host cannot be reached.',
  ENETUNREACH: 'The host cannot be reached.',
  ETIMEDOUT: 'The host did not answer in time.',
  UND_ERR_CONNECT_TIMEOUT: 'The host did not answer in time.',
  UND_ERR_HEADERS_OVERFLOW: 'The headers of the answer are too long.',
  HPE_HEADER_OVERFLOW: 'The headers of the answer are too long.',
  ERR_INVALID_URL: 'The address is not valid.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'The certificate is for another host.',
  CERT_HAS_EXPIRED: 'The certificate has expired.',
  CERT_NOT_YET_VALID: 'The certificate is not valid yet.',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'The certificate could not be verified: it is self-signed.',
  SELF_SIGNED_CERT_IN_CHAIN: 'The certificate could not be verified: its authority is not known.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'The certificate could not be verified: its authority is not known.',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'The certificate could not be verified: its authority is not known.',
}

const NO_HTTP = 'The answer is not HTTP.'

interface ErrorWithCode {
  readonly name?: string
  readonly code?: unknown
  readonly message?: string
  readonly cause?: unknown
}

/** Describes the failure of a request in a sentence. `timeoutMs` was its time limit. Secrets are not masked. */
function problemOf(error: unknown, timeoutMs: number): string {
  for (
    let current = error as ErrorWithCode | undefined, depth = 0;
    current && depth < 5;
    current = current.cause as ErrorWithCode, depth++
  ) {
    if (current instanceof ForbiddenDestination) return current.message
    if (current.name === 'TimeoutError') return `There was no complete answer within ${seconds(timeoutMs)}.`
    const sentence = sentenceFor(current)
    if (sentence) return sentence
  }
  const { message, cause } = error as ErrorWithCode
  return `The request failed: ${(cause as ErrorWithCode | undefined)?.message || message || 'for an unknown reason'}.`
}

function sentenceFor({ name, code, message }: ErrorWithCode): string | undefined {
  // Browsers refuse the same ports: those of mail, chat and other protocols.
  if (message === 'bad port') return 'The port is reserved for another protocol.'
  if (typeof code !== 'string') return name === 'HTTPParserError' ? NO_HTTP : undefined
  const sentence = Object.hasOwn(SENTENCES, code) ? SENTENCES[code] : undefined
  if (sentence) return sentence
  if (code.startsWith('HPE_') || name === 'HTTPParserError') return NO_HTTP
  if (code.startsWith('CERT_')) return `The certificate could not be verified: ${message ?? code}.`
  if (code === 'EPROTO' || code.startsWith('ERR_SSL_') || code.startsWith('ERR_TLS_'))
    return 'A secure connection could not be established: the other side does not use TLS, or uses another version.'
  return undefined
}

function seconds(ms: number): string {
  return ms === 1000 ? '1 second' : `${ms / 1000} seconds`
}

/** Limits of the stored part of a response (spec administration 3.7). */
const MAX_BODY = 8 * 1024
const MAX_HEADERS = 50
const MAX_HEADER = 1024

/** A request to send. The URL has no user name and password. */
export interface Request {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
  readonly trustAnyCertificate: boolean
  readonly purpose: Purpose
}

/** The outcome. Without a status there was no response, and `error` has the reason. */
export interface Outcome {
  readonly status: number | null
  readonly headers: Readonly<Record<string, string>> | null
  readonly body: string | null
  readonly error: string | null
  readonly duration_ms: number
  /** The reason why nothing was sent: sending is disabled, or the request is impossible. */
  readonly unsent?: 'held_back' | 'impossible'
}

/**
 * Sends one request and reads at most 8 KiB of the response, all within the time limit of receivers. Never throws for
 * failures of the receiver. Redirects are not followed, because the owner did not enter their target; 3xx counts as a
 * response like any other.
 */
export async function exchange(ctx: Pick<Ctx, 'outbound' | 'config'>, request: Request): Promise<Outcome> {
  const { method, url, body, trustAnyCertificate, purpose } = request
  const start = performance.now()
  const elapsedMs = () => Math.round(performance.now() - start)
  const timeoutMs = ctx.config.hookTimeoutMs
  try {
    const response = await ctx.outbound.fetch(url, {
      method,
      headers: encodeHeaders(request.headers),
      ...(body === undefined ? {} : { body }),
      redirect: 'manual',
      trustAnyCertificate,
      purpose,
      signal: AbortSignal.timeout(timeoutMs),
    })
    const text = response.body ? await readStart(response.body) : ''
    const { status } = response
    return {
      status,
      headers: storedHeaders(response.headers),
      body: text,
      error: null,
      duration_ms: elapsedMs(),
    }
  } catch (error) {
    const noResponse = { status: null, headers: null, body: null }
    return { ...noResponse, error: problemOf(error, timeoutMs), duration_ms: elapsedMs() }
  }
}

/** Encodes header values as Latin-1 characters, which the client expects, and removes line breaks. */
function encodeHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const clean = (value: string) => Buffer.from(value.replace(/[\r\n\0]/g, ''), 'utf8').toString('latin1')
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, clean(value)]))
}

interface Stream {
  getReader(): {
    read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>
    cancel(): Promise<void>
  }
}

/** Reads the first 8 KiB of a stream and cancels the rest. */
async function readStart(stream: Stream): Promise<string> {
  const reader = stream.getReader()
  const chunks: Uint8Array[] = []
  let length = 0
  while (length < MAX_BODY) {
    const { done, value } = await reader.read()
    if (done || !value) return textOf(chunks)
    chunks.push(value)
    length += value.length
  }
  await reader.cancel().catch(() => undefined)
  return textOf(chunks)
}

function textOf(chunks: readonly Uint8Array[]): string {
  const start = Buffer.concat(chunks).subarray(0, MAX_BODY)
  return start.toString('utf8').replaceAll('\0', '\uFFFD')
}

function storedHeaders(headers: { entries(): Iterable<[string, string]> }): Record<string, string> {
  const entries = [...headers.entries()].slice(0, MAX_HEADERS)
  return Object.fromEntries(entries.map(([name, value]) => [capitalize(name), value.slice(0, MAX_HEADER)]))
}

function capitalize(name: string): string {
  return name.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase())
}
