import type { IncomingMessage } from 'node:http'

import type { Context, Middleware } from 'koa'
import type { KoaBodyMiddlewareOptions } from 'koa-body'

import { fail, Failure } from '../../lib/fail.ts'
import { discardFiles, readParts, type MultipartOptions } from './multipart.ts'
import { nest, parseForm, type Nested } from './nesting.ts'
import type { UploadedFile } from '../../lib/files/uploaded-file.ts'

/** The limits and the temporary folder for one body. `maxBytes` applies to JSON and forms too. */
export type BodyOptions = MultipartOptions

/** A body as parameters, and its temporary files, which are removed at the end of the request. */
export interface ParsedBody {
  readonly params: Nested
  readonly files: readonly UploadedFile[]
  /** The body itself, for endpoints that take bytes. */
  readonly bytes?: Buffer
}

/** The body of a request without one. */
export const NO_BODY: ParsedBody = { params: Object.create(null) as Nested, files: [] }

/**
 * Returns a reader for the text of bodies. koa-body applies the limit, the character set and the compression; forms and
 * uploads are parsed here, because koa-body nests them differently from this API. It is loaded with the first body, to
 * make the start faster.
 */
async function readerFor(maxBytes: number): Promise<Middleware> {
  const { koaBody } = await import('koa-body')
  const methods: string[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
  const parsedMethods = methods as NonNullable<KoaBodyMiddlewareOptions['parsedMethods']>
  const text = { text: true, textTypes: ['*/*'], textLimit: maxBytes }
  return koaBody({ json: false, urlencoded: false, multipart: false, ...text, parsedMethods })
}

async function readText(ctx: Context, maxBytes: number): Promise<string> {
  try {
    const read = await readerFor(maxBytes)
    await read(ctx, () => Promise.resolve())
  } catch (error) {
    // The reader pauses a refused body. The client reads the answer only after the rest of the body was received.
    ctx.req.resume()
    const { type, status } = error as { type?: string; status?: number }
    if (type === 'entity.too.large') throw fail('too_large')
    if (status === 415) throw fail('unsupported_type', "The body's encoding is not supported.")
    throw fail('parameter', 'message body does not match declared format')
  }
  const { body } = ctx.request as { body?: unknown }
  return typeof body === 'string' ? body : ''
}

function toHash(value: unknown): Nested {
  // Go clients send `null` for an empty body.
  if (value === null) return NO_BODY.params
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw fail('parameter', 'message body does not match declared format')
  }
  return Object.assign(Object.create(null) as Nested, value)
}

function parseJson(source: string): Nested {
  // Clients send this content type on GET and DELETE too, without a body (spec core 8.7).
  if (source.trim() === '') return NO_BODY.params
  try {
    return toHash(JSON.parse(source))
  } catch (error) {
    if (error instanceof Failure) throw error
    throw fail('parameter', 'message body does not match declared format')
  }
}

/** Reads a multipart body as parameters. */
async function parseMultipart(request: IncomingMessage, options: BodyOptions): Promise<ParsedBody> {
  const { pairs, files } = await readParts(request, options)
  try {
    return { params: nest(pairs), files }
  } catch (error) {
    await discardFiles(files)
    throw error
  }
}

/** True when a request has a body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/**
 * Reads the body of a request by its content type: JSON, form or multipart. Throws 415 for another type, 413 for too
 * many bytes and 400 for an invalid body.
 */
export async function readBody(ctx: Context, options: BodyOptions): Promise<ParsedBody> {
  if (!hasBody(ctx.req)) return NO_BODY
  const { headers } = ctx.req
  const length = Number(headers['content-length'] ?? 0)
  const type = (headers['content-type'] ?? '').split(';')[0]!.trim().toLowerCase()
  if (type === 'multipart/form-data') {
    if (length > options.maxBytes + options.maxFileBytes) throw fail('too_large', options.tooLarge)
    return parseMultipart(ctx.req, options)
  }
  const isJson = type === 'application/json' || type.endsWith('+json')
  if (!isJson && type !== 'application/x-www-form-urlencoded') {
    throw fail('unsupported_type', `The provided content-type '${type}' is not supported.`)
  }
  const body = await readText(ctx, options.maxBytes)
  return { params: isJson ? parseJson(body) : parseForm(body), files: [] }
}

/** Reads a body as bytes. Throws 413 for too many bytes, after it has discarded the rest. */
export async function readBytes(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of request) {
      size += (chunk as Buffer).length
      if (size <= maxBytes) chunks.push(chunk as Buffer)
    }
  } catch {
    throw fail('parameter', 'message body does not match declared format')
  }
  if (size > maxBytes) throw fail('too_large')
  return Buffer.concat(chunks)
}
