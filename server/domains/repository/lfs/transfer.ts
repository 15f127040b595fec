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
  keepObject,
  lfsFile,
  linkedLfsObjects,
  NotTheObject,
  receiveObject,
} from '../../storage/index.ts'
import { Refusal } from '../smart_http/refusal.ts'
import { answer } from './answers.ts'
import type { LfsTarget } from './enter.ts'

const NOT_FOUND = 'Not found.'

/** Receives a file: its digest and size are compared with the address while it comes, and it counts only as a whole. */
export async function takeObject(exchange: WebExchange, target: LfsTarget, object: Pointer): Promise<void> {
  const { req, res } = exchange
  const { ctx, project, type } = target
  if ((req.headers['content-encoding'] ?? 'identity') !== 'identity')
    throw new Refusal(415, 'This content encoding is not supported.')
  const said = req.headers['content-length']
  if (said !== undefined && Number(said) !== object.size)
    throw new Refusal(422, 'The length of the content is not the one of the address.')
  const file = join(dataPaths(ctx.config.dataDir).tmp, `lfs-${ctx.random.token(20)}`)
  try {
    await receiveObject(detached(req), file, object)
    await keepObject(ctx, { projectId: project.id, types: [type] }, { ...object, file })
  } catch (error) {
    await rm(file, { force: true })
    if (error instanceof NotTheObject) throw new Refusal(422, error.message)
    throw error
  }
  res.writeHead(200, { 'Content-Type': 'text/plain', 'Content-Length': '0' }).end()
}

/** The body by way of a stream of its own: where the disk refuses in the middle, the request stays and is answered. */
function detached(req: IncomingMessage): PassThrough {
  const through = new PassThrough()
  req.once('error', (error) => through.destroy(error))
  req.once('close', () => {
    if (!req.complete) through.destroy(new Error('The client went away.'))
  })
  through.once('close', () => {
    req.unpipe(through)
    req.resume()
  })
  return req.pipe(through)
}

/** The file of a digest that the address names, if the repository refers to it. */
export function pointerHere({ ctx, project, type }: LfsTarget, oid: string): Pointer {
  const size = isOid(oid) ? linkedLfsObjects(ctx.db, project.id, type, [oid]).get(oid) : undefined
  if (size === undefined) throw new Refusal(404, NOT_FOUND)
  return { oid, size }
}

const RANGE = /^bytes=(\d{1,15})-(\d{1,15})?$/

/** Sends a file, from where the client left off if it says so. */
export async function sendObject(
  { req, res }: WebExchange,
  target: LfsTarget,
  object: Pointer,
): Promise<void> {
  const { config } = target.ctx
  if (!(await isLfsStored(config, object))) throw new Refusal(404, 'The object is not on disk.')
  const { start, end, isPart } = rangeOf(req.headers.range, object.size)
  const headers = {
    'Content-Type': 'application/octet-stream',
    'Content-Length': String(end - start),
    'Content-Disposition': disposition('attachment', object.oid),
    'Accept-Ranges': 'bytes',
    ETag: `"${object.oid}"`,
    'Cache-Control': 'private, no-cache',
    'Content-Security-Policy': SANDBOX,
    'X-Content-Type-Options': 'nosniff',
    ...(isPart ? { 'Content-Range': `bytes ${start}-${end - 1}/${object.size}` } : {}),
  }
  res.writeHead(isPart ? 206 : 200, headers)
  if (req.method === 'HEAD' || start === end) return void res.end()
  await pipeline(createReadStream(lfsFile(config, object.oid), { start, end: end - 1 }), res)
}

/** First byte, and the one behind the last. One range; anything else is answered with the whole. */
function rangeOf(header: string | undefined, size: number): { start: number; end: number; isPart: boolean } {
  const [, from, to] = RANGE.exec(header ?? '') ?? []
  if (from === undefined) return { start: 0, end: size, isPart: false }
  const start = Number(from)
  const end = to === undefined ? size : Math.min(size, Number(to) + 1)
  if (start >= size || end <= start)
    throw new Refusal(416, 'There is no such part.', { 'Content-Range': `bytes */${size}` })
  return { start, end, isPart: true }
}

export const verifyForm = z.object({ oid: z.string().max(200), size: z.number() })

/** Says whether a file that was sent is here as a whole. */
export async function verifyObject(
  exchange: WebExchange,
  target: LfsTarget,
  { oid, size }: z.output<typeof verifyForm>,
): Promise<void> {
  const object = pointerHere(target, oid)
  if (object.size !== size) throw new Refusal(422, `The object has ${object.size} bytes.`)
  if (!(await isLfsStored(target.ctx.config, object))) throw new Refusal(404, NOT_FOUND)
  answer(exchange, 200, { oid, size })
}
