import type { IncomingMessage } from 'node:http'
import type { z } from 'zod'

import type { OpenGitTarget } from '../../../git-target.ts'
import { webRoute, type WebExchange, type WebRoute } from '../../../http/web-route.ts'
import { REPOSITORY_PATH } from '../smart_http/git-over-http.ts'
import { Refusal } from '../smart_http/access.ts'
import {
  answer,
  withRefusals,
  pointerOfRequest,
  sendObject,
  acceptObject,
  verifyForm,
  verifyObject,
} from './transfer.ts'
import { answerBatch, batchForm, purposeOf } from './batch.ts'
import { enter } from './enter.ts'
import { listLocks, lockForm, createLock, unlock, unlockForm, verifyLocks, verifyLocksForm } from './locks.ts'

/** The maximum size of a batch request in bytes, which is enough for about ten thousand files. */
const MAX_BYTES = 4 * 1024 * 1024

const JSON_TYPE = /^application\/(?:vnd\.git-lfs\+json|json)\s*(?:;|$)/i

/** Parses the JSON of a request by a schema. Throws Refusal for an invalid request. */
async function parseRequest<T>(req: IncomingMessage, form: z.ZodType<T>): Promise<T> {
  if (!JSON_TYPE.test(req.headers['content-type'] ?? ''))
    throw new Refusal(415, 'The request is not a valid Git LFS request.')
  if ((req.headers['content-encoding'] ?? 'identity') !== 'identity')
    throw new Refusal(415, 'This content encoding is not supported.')
  const result = form.safeParse(parseJson(await textOf(req)))
  if (result.success) return result.data
  const [issue] = result.error.issues
  throw new Refusal(422, `${issue?.path.join('.') || 'The request'} is invalid.`)
}

async function textOf(req: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  // A refusal is answered on the same connection, so it must stay open.
  for await (const chunk of req.iterator({ destroyOnReturn: false })) {
    size += (chunk as Buffer).length
    if (size > MAX_BYTES) throw new Refusal(413, 'The request is too large.')
    chunks.push(chunk as Buffer)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Refusal(400, 'The request is not valid JSON.')
  }
}

type Handle = (
  exchange: WebExchange,
  targets: readonly OpenGitTarget[],
  groups: readonly string[],
) => Promise<void>

interface Service {
  readonly methods: readonly string[]
  /** A pattern for the path after `/info/lfs/`. The handler receives its groups. */
  readonly pattern: RegExp
  readonly handle: Handle
}

/** Git LFS at `/<path>.git/info/lfs/…` (the batch, basic transfer and locking APIs of the protocol). */
export function lfsRoutes(targets: readonly OpenGitTarget[]): WebRoute[] {
  return [
    webRoute({
      name: 'lfs',
      methods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH'],
      pattern: new RegExp(String.raw`${REPOSITORY_PATH}\.git\/info\/lfs(?:\/(.*))?$`, 's'),
      handle: (exchange) => withRefusals(exchange, () => serve(exchange, targets)),
    }),
  ]
}

async function serve(exchange: WebExchange, targets: readonly OpenGitTarget[]): Promise<void> {
  const rest = exchange.match[2] ?? ''
  const method = exchange.req.method ?? ''
  for (const { methods, pattern, handle } of SERVICES) {
    const [, ...groups] = pattern.exec(rest) ?? [undefined]
    if (methods.includes(method) && pattern.test(rest)) return handle(exchange, targets, groups as string[])
  }
  throw new Refusal(404, 'Not found.')
}

const batch: Handle = async (exchange, targets) => {
  const request = await parseRequest(exchange.req, batchForm)
  const purpose = purposeOf(request)
  const target = await enter(exchange, targets, purpose)
  answer(exchange, 200, answerBatch(target, request, purpose))
}

const download: Handle = async (exchange, targets, [oid]) => {
  const target = await enter(exchange, targets, 'read')
  await sendObject(exchange, target, pointerOfRequest(target, oid!))
}

const upload: Handle = async (exchange, targets, [oid, size]) => {
  const target = await enter(exchange, targets, 'write')
  await acceptObject(exchange, target, { oid: oid!, size: Number(size) })
}

const verify: Handle = async (exchange, targets) => {
  const target = await enter(exchange, targets, 'write')
  await verifyObject(exchange, target, await parseRequest(exchange.req, verifyForm))
}

const addLock: Handle = async (exchange, targets) => {
  const target = await enter(exchange, targets, 'write')
  await createLock(exchange, target, await parseRequest(exchange.req, lockForm))
}

const showLocks: Handle = async (exchange, targets) =>
  listLocks(exchange, await enter(exchange, targets, 'read'))

const checkLocks: Handle = async (exchange, targets) => {
  const target = await enter(exchange, targets, 'write')
  verifyLocks(exchange, target, await parseRequest(exchange.req, verifyLocksForm))
}

const removeLock: Handle = async (exchange, targets, [id]) => {
  const target = await enter(exchange, targets, 'write')
  await unlock(exchange, target, id!, await parseRequest(exchange.req, unlockForm))
}

/** The API of clients that are older than the batch API. */
const tooOld: Handle = () =>
  Promise.reject(
    new Refusal(
      501,
      'Server supports batch API only, please update your Git LFS client to version 1.0.1 and up.',
    ),
  )

const SERVICES: readonly Service[] = [
  { methods: ['POST'], pattern: /^objects\/batch$/, handle: batch },
  { methods: ['GET', 'HEAD'], pattern: /^objects\/([0-9a-f]{64})$/, handle: download },
  { methods: ['PUT'], pattern: /^objects\/([0-9a-f]{64})\/(\d{1,15})$/, handle: upload },
  { methods: ['POST'], pattern: /^verify$/, handle: verify },
  { methods: ['POST'], pattern: /^locks$/, handle: addLock },
  { methods: ['GET'], pattern: /^locks$/, handle: showLocks },
  { methods: ['POST'], pattern: /^locks\/verify$/, handle: checkLocks },
  { methods: ['POST'], pattern: /^locks\/([^/]+)\/unlock$/, handle: removeLock },
  { methods: ['POST'], pattern: /^objects$/, handle: tooOld },
]
