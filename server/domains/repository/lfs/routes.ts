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
import { listLocks, lockForm, makeLock, unlock, unlockForm, verifyLocks, verifyLocksForm } from './locks.ts'

/** The largest batch request, in bytes: some ten thousand files. */
const MAX_BYTES = 4 * 1024 * 1024

const JSON_TYPE = /^application\/(?:vnd\.git-lfs\+json|json)\s*(?:;|$)/i

/** Parses a request's JSON by a schema. Throws Refusal for anything else. */
async function questionOf<T>(req: IncomingMessage, form: z.ZodType<T>): Promise<T> {
  if (!JSON_TYPE.test(req.headers['content-type'] ?? ''))
    throw new Refusal(415, 'The request is not a valid Git LFS request.')
  if ((req.headers['content-encoding'] ?? 'identity') !== 'identity')
    throw new Refusal(415, 'This content encoding is not supported.')
  const read = form.safeParse(parsed(await textOf(req)))
  if (read.success) return read.data
  const [issue] = read.error.issues
  throw new Refusal(422, `${issue?.path.join('.') || 'The request'} is invalid.`)
}

async function textOf(req: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  // The answer still needs this connection after an early refusal.
  for await (const chunk of req.iterator({ destroyOnReturn: false })) {
    size += (chunk as Buffer).length
    if (size > MAX_BYTES) throw new Refusal(413, 'The request is too large.')
    chunks.push(chunk as Buffer)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Refusal(400, 'The request is not valid JSON.')
  }
}

type Handle = (
  exchange: WebExchange,
  kinds: readonly OpenGitTarget[],
  parts: readonly string[],
) => Promise<void>

interface Service {
  readonly methods: readonly string[]
  /** Matches the path after `/info/lfs/`; the handler receives its groups. */
  readonly form: RegExp
  readonly handle: Handle
}

/** Git LFS at `/<path>.git/info/lfs/…` (the batch, basic transfer and locking APIs of the protocol). */
export function lfsRoutes(kinds: readonly OpenGitTarget[]): WebRoute[] {
  return [
    webRoute({
      name: 'lfs',
      methods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH'],
      pattern: new RegExp(String.raw`${REPOSITORY_PATH}\.git\/info\/lfs(?:\/(.*))?$`, 's'),
      handle: (exchange) => withRefusals(exchange, () => serve(exchange, kinds)),
    }),
  ]
}

async function serve(exchange: WebExchange, kinds: readonly OpenGitTarget[]): Promise<void> {
  const rest = exchange.match[2] ?? ''
  const method = exchange.req.method ?? ''
  for (const { methods, form, handle } of SERVICES) {
    const [, ...parts] = form.exec(rest) ?? [undefined]
    if (methods.includes(method) && form.test(rest)) return handle(exchange, kinds, parts as string[])
  }
  throw new Refusal(404, 'Not found.')
}

const batch: Handle = async (exchange, kinds) => {
  const question = await questionOf(exchange.req, batchForm)
  const purpose = purposeOf(question)
  const target = await enter(exchange, kinds, purpose)
  answer(exchange, 200, answerBatch(target, question, purpose))
}

const download: Handle = async (exchange, kinds, [oid]) => {
  const target = await enter(exchange, kinds, 'read')
  await sendObject(exchange, target, pointerOfRequest(target, oid!))
}

const upload: Handle = async (exchange, kinds, [oid, size]) => {
  const target = await enter(exchange, kinds, 'write')
  await acceptObject(exchange, target, { oid: oid!, size: Number(size) })
}

const verify: Handle = async (exchange, kinds) => {
  const target = await enter(exchange, kinds, 'write')
  await verifyObject(exchange, target, await questionOf(exchange.req, verifyForm))
}

const createLock: Handle = async (exchange, kinds) => {
  const target = await enter(exchange, kinds, 'write')
  await makeLock(exchange, target, await questionOf(exchange.req, lockForm))
}

const showLocks: Handle = async (exchange, kinds) => listLocks(exchange, await enter(exchange, kinds, 'read'))

const checkLocks: Handle = async (exchange, kinds) => {
  const target = await enter(exchange, kinds, 'write')
  verifyLocks(exchange, target, await questionOf(exchange.req, verifyLocksForm))
}

const removeLock: Handle = async (exchange, kinds, [id]) => {
  const target = await enter(exchange, kinds, 'write')
  await unlock(exchange, target, id!, await questionOf(exchange.req, unlockForm))
}

/** The API of clients older than the batch API. */
const tooOld: Handle = () =>
  Promise.reject(
    new Refusal(
      501,
      'Server supports batch API only, please update your Git LFS client to version 1.0.1 and up.',
    ),
  )

const SERVICES: readonly Service[] = [
  { methods: ['POST'], form: /^objects\/batch$/, handle: batch },
  { methods: ['GET', 'HEAD'], form: /^objects\/([0-9a-f]{64})$/, handle: download },
  { methods: ['PUT'], form: /^objects\/([0-9a-f]{64})\/(\d{1,15})$/, handle: upload },
  { methods: ['POST'], form: /^verify$/, handle: verify },
  { methods: ['POST'], form: /^locks$/, handle: createLock },
  { methods: ['GET'], form: /^locks$/, handle: showLocks },
  { methods: ['POST'], form: /^locks\/verify$/, handle: checkLocks },
  { methods: ['POST'], form: /^locks\/([^/]+)\/unlock$/, handle: removeLock },
  { methods: ['POST'], form: /^objects$/, handle: tooOld },
]
