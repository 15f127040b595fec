import { request as overHttp, type IncomingMessage, type RequestOptions } from 'node:http'
import { request as overHttps } from 'node:https'

import type { Ctx } from '../../../ctx.ts'
import { fail } from '../../../lib/fail.ts'
import { tlsOptionsFor } from '../../../lib/net/own-certificate.ts'
import { MASK } from './masking/names.ts'
import type { RequestView } from './reading/views.ts'
import { findRequest } from './service.ts'

/** The changes to the recorded request. */
export interface Edits {
  readonly method?: string | undefined
  /** Path and query. */
  readonly target?: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly body?: string | undefined
}

/** The request of the administrator who sends the recorded request again. */
interface Caller {
  header(name: string): string
  readonly rawParams: Readonly<Record<string, unknown>>
}

const TIMEOUT_MS = 30_000
/** The rest of a longer answer is not read. */
const MAX_ANSWER = 4 * 1024 * 1024
const MAX_HEADERS = 50

/** The credentials of the caller. */
const CREDENTIALS = ['authorization', 'private-token', 'cookie', 'x-csrf-token'] as const
/** Headers of the connection or of the recorded client; the new request has its own. */
const REPLACED_HEADERS =
  /^(host|connection|content-length|transfer-encoding|keep-alive|upgrade|expect|te|trailer|origin|referer|accept-encoding|sudo|job-token|x-forwarded-.*|sec-.*|authorization|private-token|cookie|x-csrf-token)$/i

/**
 * Sends a recorded request again, with edits, to this instance and as the caller. Returns the record of the new
 * request. Throws 400 for masked secrets, and for an address that does not belong to the instance.
 */
export async function sendAgain(
  ctx: Ctx,
  reference: string,
  edits: Edits,
  caller: Caller,
): Promise<RequestView> {
  const original = findRequest(ctx, reference)
  const target = edits.target ?? original.target
  const body = edits.body ?? bodyOf(original)
  if (target.includes(MASK) || body.includes(MASK))
    throw fail('bad_request', `The address or the body contains ${MASK}. Enter the values that were masked.`)
  const url = addressOf(ctx, target)
  const editedHeaders = headersOf(edits.headers ?? {})
  const headers = { ...headersOf(original.request_headers), ...editedHeaders, ...credentialsOf(caller) }
  const method = edits.method ?? original.method
  // A recorded body is the JSON form of its parameters.
  const type = editedHeaders['content-type'] ?? (body === '' ? undefined : 'application/json')
  const id = await send(
    ctx,
    url,
    { method, headers: { ...headers, ...(type ? { 'content-type': type } : {}) } },
    body,
  )
  return findRequest(ctx, id)
}

function bodyOf({ request_body }: RequestView): string {
  if (request_body.is_cut) throw fail('bad_request', 'The recorded body is not complete. Send a body.')
  return request_body.text ?? ''
}

function addressOf({ config }: Ctx, target: string): URL {
  const url =
    target.startsWith('/') && URL.canParse(target, config.ownUrl) ? new URL(target, config.ownUrl) : undefined
  if (url?.origin !== new URL(config.ownUrl).origin)
    throw fail('bad_request', 'target must be a path of this instance')
  if (/^\/+-\/workbench\/inspector(\/|$)/.test(url.pathname) || !/^\/(api|oauth|-)\//.test(url.pathname))
    throw fail('bad_request', 'Requests to this path cannot be sent again.')
  return url
}

function headersOf(input: Readonly<Record<string, string>>): Record<string, string> {
  const allowedHeaders = Object.entries(input).filter(
    ([name, value]) =>
      !REPLACED_HEADERS.test(name) &&
      !value.includes(MASK) &&
      /^[\w!#$%&'*+.^`|~-]+$/.test(name) &&
      /^[\t\x20-\x7e]*$/.test(value),
  )
  return Object.fromEntries(
    allowedHeaders.slice(0, MAX_HEADERS).map(([name, value]) => [name.toLowerCase(), value]),
  )
}

function credentialsOf({ header, rawParams }: Caller): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const name of CREDENTIALS) if (header(name) !== '') headers[name] = header(name)
  const { private_token, access_token } = rawParams
  if (typeof private_token === 'string') headers['private-token'] ??= private_token
  if (typeof access_token === 'string') headers['authorization'] ??= `Bearer ${access_token}`
  return headers
}

/** Sends the request. Returns its ID from the header of the answer. */
async function send(ctx: Ctx, url: URL, options: RequestOptions, body: string): Promise<string> {
  const { ownCertificate } = ctx.config
  const secure = url.protocol === 'https:' && ownCertificate ? tlsOptionsFor(ownCertificate.pem) : {}
  const signal = AbortSignal.any([ctx.signal, AbortSignal.timeout(TIMEOUT_MS)])
  const bytes = Buffer.from(body)
  const headers = {
    ...(options.headers as Record<string, string>),
    ...(bytes.length > 0 ? { 'content-length': bytes.length } : {}),
  }
  const open = url.protocol === 'https:' ? overHttps : overHttp
  return new Promise<string>((resolve, reject) => {
    const request = open(url, { ...options, ...secure, headers, signal, agent: false }, (answer) =>
      resolve(discard(answer)),
    )
    request.on('error', () => reject(fail('unavailable', 'The request got no answer in time.')))
    request.end(bytes)
  })
}

/** Reads the answer without keeping it. Returns the ID of the request. */
function discard(answer: IncomingMessage): string {
  let size = 0
  answer.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size > MAX_ANSWER) answer.destroy()
  })
  answer.on('error', () => undefined)
  return String(answer.headers['x-request-id'] ?? '')
}
