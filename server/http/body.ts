import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { IncomingMessage } from 'node:http'
import { Transform, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

import { Busboy, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy'
import type { Context, Middleware } from 'koa'
import { koaBody } from 'koa-body'

import { fail, Failure } from '../lib/fail.ts'
import { nest, parseForm, type Nested } from './nesting.ts'
import { receive, type UploadedFile } from './upload.ts'

/** Limits and places for one body. */
export interface BodyOptions {
  /** Bytes of a JSON or form body, and of the text fields of a multipart body. */
  readonly maxBytes: number
  /** Bytes of one uploaded file. */
  readonly maxFileBytes: number
  readonly tmpDir: string
  /** Names the temporary files. */
  readonly newId: () => string
}

/** A body as parameters, and what to remove once the request has ended. */
export interface ParsedBody {
  readonly params: Nested
  readonly files: readonly UploadedFile[]
}

const EMPTY: ParsedBody = { params: Object.create(null) as Nested, files: [] }

/** Removes the temporary files that nobody moved elsewhere. */
export async function discardFiles(files: readonly UploadedFile[]): Promise<void> {
  await Promise.all(files.map((one) => rm(one.path, { force: true })))
}

/** One reader per limit; endpoints share a handful of limits. */
const readers = new Map<number, Middleware>()

/**
 * koa-body only reads (limit, character set, compression): its own nesting of forms and its uploads differ from what
 * clients of this API family send.
 */
function readerFor(maxBytes: number): Middleware {
  const known = readers.get(maxBytes)
  if (known) return known
  const reader = koaBody({
    json: false,
    urlencoded: false,
    multipart: false,
    text: true,
    textTypes: ['*/*'],
    textLimit: maxBytes,
    parsedMethods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as never,
  }) as Middleware
  readers.set(maxBytes, reader)
  return reader
}

async function readText(ctx: Context, maxBytes: number): Promise<string> {
  try {
    await readerFor(maxBytes)(ctx, () => Promise.resolve())
  } catch (error) {
    const { type, status } = error as { type?: string; status?: number }
    if (type === 'entity.too.large') throw fail('too_large')
    if (status === 415) throw fail('unsupported_type', "The body's encoding is not supported.")
    throw fail('parameter', 'message body does not match declared format')
  }
  const { body } = ctx.request as unknown as { body?: unknown }
  return typeof body === 'string' ? body : ''
}

function toHash(value: unknown): Nested {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw fail('parameter', 'message body does not match declared format')
  }
  return Object.assign(Object.create(null) as Nested, value)
}

function parseJson(source: string): Nested {
  // Clients send this content type on GET and DELETE too, without a body (spec core 8.7).
  if (source.trim() === '') return EMPTY.params
  try {
    return toHash(JSON.parse(source))
  } catch (error) {
    if (error instanceof Failure) throw error
    throw fail('parameter', 'message body does not match declared format')
  }
}

/** Writes one uploaded part to the temporary folder, counting and hashing on the way. */
async function saveFile(
  stream: Readable,
  name: { filename: string; type: string },
  options: BodyOptions,
): Promise<UploadedFile> {
  const path = join(options.tmpDir, `upload-${options.newId()}`)
  const digest = createHash('sha256')
  let size = 0
  const meter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length
      digest.update(chunk)
      done(null, chunk)
    },
  })
  await pipeline(stream, meter, createWriteStream(path, { flags: 'wx' }))
  // Only the last segment of what the client calls the file; never used as a path.
  const filename = name.filename.split(/[\\/]/).at(-1) ?? ''
  return receive({ filename, type: name.type, path, size, sha256: digest.digest('hex') })
}

/** Streams a multipart body: text fields to parameters, files to disk. On any problem nothing stays on disk. */
async function parseMultipart(request: IncomingMessage, options: BodyOptions): Promise<ParsedBody> {
  const pairs: [string, unknown][] = []
  const saving: Promise<void>[] = []
  const files: UploadedFile[] = []
  let problem: Failure | undefined
  const busboy = openMultipart(request, options)
  busboy.on('field', (name, value, nameCut, valueCut) => {
    if (nameCut || valueCut) problem ??= fail('too_large')
    pairs.push([name, value])
  })
  busboy.on('file', (name, stream, filename, _encoding, type) => {
    const saved = saveFile(stream, { filename, type }, options).then((file) => {
      files.push(file)
      if ((stream as Readable & { truncated?: boolean }).truncated) problem ??= fail('too_large')
      pairs.push([name, file])
    })
    saving.push(saved)
  })
  const refuseMany = (): void => void (problem ??= fail('too_large'))
  busboy.on('partsLimit', refuseMany).on('filesLimit', refuseMany).on('fieldsLimit', refuseMany)
  const parsed = await pipeline(request, busboy).then(
    () => undefined,
    () => fail('parameter', 'message body does not match declared format'),
  )
  const stored = await Promise.allSettled(saving)
  if (!problem && stored.some((one) => one.status === 'rejected'))
    problem = fail('unavailable', 'The upload could not be stored.')
  problem ??= parsed
  if (problem) {
    await discardFiles(files)
    throw problem
  }
  return { params: nest(pairs), files }
}

function openMultipart(request: IncomingMessage, options: BodyOptions): BusboyInstance {
  try {
    return new Busboy({
      headers: request.headers as BusboyHeaders,
      limits: {
        fieldSize: options.maxBytes,
        fields: 4096,
        fileSize: options.maxFileBytes,
        files: 20,
        parts: 4200,
        headerPairs: 100,
      },
    })
  } catch {
    throw fail('parameter', 'message body does not match declared format')
  }
}

/**
 * Reads the body of a request by its content type: JSON, form, multipart. Another type is 415, too many bytes 413,
 * a broken body 400; each in the API's own shape.
 */
export async function readBody(ctx: Context, options: BodyOptions): Promise<ParsedBody> {
  const { headers } = ctx.req
  const length = Number(headers['content-length'] ?? 0)
  if (headers['transfer-encoding'] === undefined && !(length > 0)) return EMPTY
  const type = (headers['content-type'] ?? '').split(';')[0]!.trim().toLowerCase()
  if (type === 'multipart/form-data') {
    if (length > options.maxBytes + options.maxFileBytes) throw fail('too_large')
    return parseMultipart(ctx.req, options)
  }
  const isJson = type === 'application/json' || type.endsWith('+json')
  if (!isJson && type !== 'application/x-www-form-urlencoded') {
    throw fail('unsupported_type', `The provided content-type '${type}' is not supported.`)
  }
  const body = await readText(ctx, options.maxBytes)
  return { params: isJson ? parseJson(body) : parseForm(body), files: [] }
}
