import { hash } from 'node:crypto'

import type { Context } from 'koa'

import type { RawAnswer } from '../returns.ts'

/** The methods of requests that change nothing. */
export const READ_METHODS = new Set(['GET', 'HEAD'])

/** The length in characters from which an answer is encoded before it is sent. */
const LONG_TEXT = 16_384

/**
 * The JSON of an answer. A long text is encoded once, because its tag, its length and the socket would each encode it again. Node
 * sends a short text together with the headers, which is faster.
 */
export function bodyOf(value: unknown): string | Buffer {
  const text = JSON.stringify(value)
  return text.length < LONG_TEXT ? text : Buffer.from(text)
}

/**
 * Sends JSON text with the status of `ctx`. A read gets an ETag, and 304 when the client already has the answer. `type`
 * is the media type if it is not `application/json`.
 */
export function sendJson(
  ctx: Context,
  body: string | Buffer,
  options: { volatile: boolean; etag?: string; type?: string | undefined },
): void {
  const { status } = ctx
  // The contract has no charset here (spec core 8.9).
  ctx.res.setHeader('Content-Type', options.type ?? 'application/json')
  if (status === 200 && READ_METHODS.has(ctx.method)) {
    if (options.volatile) {
      ctx.set('Cache-Control', 'no-store')
    } else {
      const etag = options.etag ?? etagOf(body)
      ctx.set('ETag', etag)
      ctx.set('Cache-Control', 'max-age=0, private, must-revalidate')
      if (matches(ctx.req.headers['if-none-match'], etag)) {
        ctx.status = 304
        ctx.body = null
        return
      }
    }
  } else {
    ctx.set('Cache-Control', options.volatile ? 'no-store' : 'no-cache')
  }
  ctx.body = body
  ctx.status = status
}

/**
 * Sets an object as the body, converted to text. For an object, koa would look up the global class `Response`, and Node
 * would load its HTTP client for that, which takes 40 ms and 9 MB.
 */
export function setObject(ctx: Context, body: unknown): void {
  ctx.type = 'json'
  ctx.body = JSON.stringify(body)
}

/** Sends bytes, text or a stream unchanged. */
export function sendRaw(ctx: Context, answer: RawAnswer, status = 200): void {
  ctx.res.setHeader('Content-Type', answer.type)
  ctx.set('Cache-Control', 'no-store')
  if (answer.headers) ctx.set(answer.headers)
  if (answer.length !== undefined) ctx.length = answer.length
  ctx.body = answer.body
  ctx.res.setHeader('Content-Type', answer.type)
  ctx.status = answer.status ?? status
}

/** The weak ETag of an answer, a hash of its bytes. */
export function etagOf(body: string | Buffer): string {
  return `W/"${hash('sha1', body, 'hex')}"`
}

/** True when `If-None-Match` contains the tag (weak comparison, RFC 9110 13.1.2). */
export function matches(header: string | undefined, etag: string): boolean {
  if (!header) return false
  if (header.trim() === '*') return true
  const bare = etag.replace(/^W\//, '')
  return header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === bare)
}

/** True when a resource changed after the date of `If-Unmodified-Since`; an invalid date is ignored. */
export function changedSince(header: string | undefined, updatedAt: string): boolean {
  if (!header) return false
  const since = Date.parse(header)
  // HTTP dates have whole seconds: a change within the same second is not "after".
  return !Number.isNaN(since) && Math.floor(Date.parse(updatedAt) / 1000) > Math.floor(since / 1000)
}
