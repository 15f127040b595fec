import { createReadStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { z } from 'zod'

import { dataPaths } from '../../../config.ts'
import { disposition, SANDBOX } from '../../../http/answer/content.ts'
import type { WebExchange } from '../../../http/web-route.ts'
import { isOid, type Pointer } from '../../../lib/lfs.ts'
import {
  isLfsStored,
  storeLfsObject,
  lfsFile,
  linkedLfsObjects,
  LfsMismatch,
  receiveObject,
} from '../../storage/index.ts'
import { Refusal } from '../smart_http/access.ts'
import type { LfsTarget } from './enter.ts'
import { errorAnswer } from '../../../http/answer/errors.ts'
import { Failure } from '../../../lib/fail.ts'
import { storageProblem } from '../../../lib/files/storage-problem.ts'

/** The content type of LFS requests and answers. */
export const LFS_TYPE = 'application/vnd.git-lfs+json'

/** The maximum size of a request in bytes that is read and discarded after a refusal. */
const MAX_DISCARDED = 64 * 1024 * 1024

/** Sends an answer in the LFS content type. */
export function answer(
  { res }: Pick<WebExchange, 'res'>,
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): void {
  res.writeHead(status, { 'Content-Type': LFS_TYPE, 'Cache-Control': 'no-store', ...headers })
  res.end(JSON.stringify(body))
}

/** Runs `work` and answers a refusal with a message that LFS clients show. */
export async function withRefusals(exchange: WebExchange, work: () => Promise<void>): Promise<void> {
  const { req, res } = exchange
  try {
    await work()
  } catch (error) {
    if (res.headersSent || (req.destroyed && !req.complete)) res.destroy()
    else refuse(exchange, refusalOf(error))
  }
}

function refuse(exchange: WebExchange, refusal: Refusal): void {
  const { req, ctx, requestId } = exchange
  // The rest of a small request is read and discarded. After a large one, the connection is closed.
  const hasBody = req.method !== 'GET' && req.method !== 'HEAD'
  const isUnread =
    hasBody && !req.complete && !(Number(req.headers['content-length'] ?? Infinity) <= MAX_DISCARDED)
  const challenge = refusal.headers['WWW-Authenticate']
  answer(
    exchange,
    refusal.status,
    { message: refusal.message, documentation_url: `${ctx.config.url}/-/docs`, request_id: requestId },
    {
      ...refusal.headers,
      // This header makes LFS clients ask for a password. Browsers ignore it, so they show no dialog.
      ...(challenge === undefined ? {} : { 'LFS-Authenticate': challenge }),
      ...(isUnread ? { Connection: 'close' } : {}),
    },
  )
  if (!isUnread) req.resume()
}

function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  const problem = storageProblem(error)
  if (problem) return new Refusal(507, problem.message)
  if (!(error instanceof Failure)) throw error
  const { status, headers, body } = errorAnswer(error)
  const { message, error: text } = (body ?? {}) as { message?: unknown; error?: unknown }
  return new Refusal(status, String(message ?? text ?? error.message), headers)
}

const NOT_FOUND = 'Not found.'

/** Receives an object. It is stored only if it is complete, and its digest and size are those of the URL. */
export async function acceptObject(exchange: WebExchange, target: LfsTarget, object: Pointer): Promise<void> {
  const { req, res } = exchange
  const { ctx, project, type } = target
  if ((req.headers['content-encoding'] ?? 'identity') !== 'identity')
    throw new Refusal(415, 'This content encoding is not supported.')
  const length = req.headers['content-length']
  if (length !== undefined && Number(length) !== object.size)
    throw new Refusal(422, 'The length of the content differs from the one in the address.')
  const file = join(dataPaths(ctx.config.dataDir).tmp, `lfs-${ctx.random.token(20)}`)
  try {
    await receiveObject(withoutAbort(req), file, object)
    await storeLfsObject(ctx, { projectId: project.id, types: [type] }, { ...object, file })
    await ctx.db.stored()
  } catch (error) {
    await rm(file, { force: true })
    if (error instanceof LfsMismatch) throw new Refusal(422, error.message)
    throw error
  }
  res.writeHead(200, { 'Content-Type': 'text/plain', 'Content-Length': '0' }).end()
}

/** Pipes the body through a second stream, so that a disk error destroys that stream and not the request. */
function withoutAbort(req: IncomingMessage): PassThrough {
  const passThrough = new PassThrough()
  req.once('error', (error) => passThrough.destroy(error))
  req.once('close', () => {
    if (!req.complete) passThrough.destroy(new Error('The client disconnected.'))
  })
  passThrough.once('close', () => {
    req.unpipe(passThrough)
    req.resume()
  })
  return req.pipe(passThrough)
}

/** Returns the object with the digest of the URL, if the repository refers to it. Throws Refusal. */
export function pointerOfRequest({ ctx, project, type }: LfsTarget, oid: string): Pointer {
  const size = isOid(oid) ? linkedLfsObjects(ctx.db, project.id, type, [oid]).get(oid) : undefined
  if (size === undefined) throw new Refusal(404, NOT_FOUND)
  return { oid, size }
}

const RANGE = /^bytes=(\d{1,15})-(\d{1,15})?$/

/** Sends an object, or the requested range of it. */
export async function sendObject(
  { req, res }: WebExchange,
  target: LfsTarget,
  object: Pointer,
): Promise<void> {
  const { config } = target.ctx
  if (!(await isLfsStored(config, object))) throw new Refusal(404, 'The object is not on disk.')
  const { start, end, isPartial } = rangeOf(req.headers.range, object.size)
  const headers = {
    'Content-Type': 'application/octet-stream',
    'Content-Length': String(end - start),
    'Content-Disposition': disposition('attachment', object.oid),
    'Accept-Ranges': 'bytes',
    ETag: `"${object.oid}"`,
    'Cache-Control': 'private, no-cache',
    'Content-Security-Policy': SANDBOX,
    'X-Content-Type-Options': 'nosniff',
    ...(isPartial ? { 'Content-Range': `bytes ${start}-${end - 1}/${object.size}` } : {}),
  }
  res.writeHead(isPartial ? 206 : 200, headers)
  if (req.method === 'HEAD' || start === end) return void res.end()
  await pipeline(createReadStream(lfsFile(config, object.oid), { start, end: end - 1 }), res)
}

/** Returns the first byte and the end (exclusive) of a single range. For other range requests, the whole object. */
function rangeOf(
  header: string | undefined,
  size: number,
): { start: number; end: number; isPartial: boolean } {
  const [, from, to] = RANGE.exec(header ?? '') ?? []
  if (from === undefined) return { start: 0, end: size, isPartial: false }
  const start = Number(from)
  const end = to === undefined ? size : Math.min(size, Number(to) + 1)
  if (start >= size || end <= start)
    throw new Refusal(416, 'The range does not exist.', { 'Content-Range': `bytes */${size}` })
  return { start, end, isPartial: true }
}

export const verifyForm = z.object({ oid: z.string().max(200), size: z.number() })

/** Verifies that an uploaded object is complete. */
export async function verifyObject(
  exchange: WebExchange,
  target: LfsTarget,
  { oid, size }: z.output<typeof verifyForm>,
): Promise<void> {
  const object = pointerOfRequest(target, oid)
  if (object.size !== size) throw new Refusal(422, `The object has ${object.size} bytes.`)
  if (!(await isLfsStored(target.ctx.config, object))) throw new Refusal(404, NOT_FOUND)
  answer(exchange, 200, { oid, size })
}
