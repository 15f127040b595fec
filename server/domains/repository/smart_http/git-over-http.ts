import type { IncomingMessage, ServerResponse } from 'node:http'
import { type PassThrough, pipeline, Readable, Transform } from 'node:stream'
import { pipeline as finishPipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'

import type { Ctx } from '../../../ctx.ts'
import { GitError, GitInputError } from '../../../git/errors.ts'
import { storageProblem } from '../../../lib/files/storage-problem.ts'
import { missingStorage } from '../../storage/index.ts'
import { receivePack } from '../../../git/transport/receive-pack.ts'
import {
  advertiseRefs,
  type GitService,
  isGitService,
  uploadPack,
} from '../../../git/transport/smart-http.ts'
import { packet } from '../../../git/transport/packets.ts'
import { type WebExchange, webRoute, type WebRoute } from '../../../http/web-route.ts'
import { anonymous } from '../../../policy/actor.ts'
import { openTarget } from './open-target.ts'
import type { GitTarget, OpenGitTarget } from '../../../git-target.ts'
import { packLimitOf, PushSession } from './push.ts'
import { identify, Refusal } from './access.ts'

/** Forbids all caching of the answer. */
const NO_CACHE = {
  'Cache-Control': 'no-cache, max-age=0, must-revalidate',
  Expires: 'Fri, 01 Jan 1980 00:00:00 GMT',
  Pragma: 'no-cache',
}

// Addresses of the window and the API contain these endings only below `/-/` and `/api/`. A redirect to an address
// that starts with two slashes would lead to another host.
/** The start of a pattern: the path of a repository, without `.git`. */
export const REPOSITORY_PATH = String.raw`^\/(?!api\/|-\/|assets\/|\/)((?:(?!\/-\/).)+?)`

/** Git over HTTP at `/<path>.git`, for the code of projects and the repositories of other domains (`openers`). */
export function gitRoutes(openers: readonly OpenGitTarget[]): WebRoute[] {
  const gitRoute = webRoute({
    name: 'git',
    methods: ['GET', 'POST'],
    // LFS has its own routes.
    pattern: new RegExp(String.raw`${REPOSITORY_PATH}\.git\/(?!info\/lfs(?:\/|$))(.*)$`, 's'),
    handle: (exchange) => withRefusals(exchange, () => serve(exchange, openers)),
  })
  return [gitRoute, redirectRoute]
}

/** Redirects clients that leave out `.git`. */
const redirectRoute = webRoute({
  name: 'git.redirect',
  methods: ['GET'],
  pattern: new RegExp(String.raw`${REPOSITORY_PATH}\/info\/refs$`, 's'),
  handle: (exchange) =>
    withRefusals(exchange, async () => {
      serviceOf(exchange)
      const query = exchange.query === '' ? '' : `?${exchange.query}`
      const target = exchange.match[1]!.replace(/[^A-Za-z0-9_./%-]/g, '')
      throw new Refusal(301, 'The address of the repository ends in .git.', {
        Location: `/${target}.git/info/refs${query}`,
      })
    }),
})

/** Runs `work` and answers refusals as text, which git shows in the terminal. */
async function withRefusals(exchange: WebExchange, work: () => Promise<void>): Promise<void> {
  const { res, ctx } = exchange
  try {
    await work()
  } catch (error) {
    if (exchange.req.destroyed && !exchange.req.complete) res.destroy()
    else if (res.headersSent) res.destroy()
    else refuse(exchange, refusalOf(ctx, error))
  }
}

function refuse({ req, res }: WebExchange, refusal: Refusal): void {
  // The rest of the request is not read, so the connection cannot be reused.
  const isUnread = !req.complete && req.method === 'POST'
  res.writeHead(refusal.status, {
    'Content-Type': 'text/plain; charset=utf-8',
    ...NO_CACHE,
    ...refusal.headers,
    ...(isUnread ? { Connection: 'close' } : {}),
  })
  res.end(`${refusal.message}\n`)
}

function refusalOf(ctx: Ctx, error: unknown): Refusal {
  if (error instanceof Refusal) return error
  if (error instanceof GitInputError) return new Refusal(400, error.message)
  const problem = storageProblem(error) ?? missingStorage(ctx, error)
  if (problem) ctx.log.error({ err: error }, 'disk error')
  if (problem) return new Refusal(507, problem.message)
  if (!(error instanceof GitError)) throw error
  if (error.isRepositoryMissing) return new Refusal(404, 'The repository is not on disk.')
  ctx.log.error({ err: error, operation: error.operation, stderr: error.stderr }, 'git over HTTP failed')
  return new Refusal(503, 'The repository cannot be read at the moment; it may be damaged.')
}

function serviceOf(exchange: WebExchange): GitService {
  const service = new URLSearchParams(exchange.query).get('service')
  if (isGitService(service)) return service
  throw new Refusal(403, 'Only the smart protocol is supported; please use git 1.6.6 or newer.')
}

async function serve(exchange: WebExchange, openers: readonly OpenGitTarget[]): Promise<void> {
  const { req, res, match } = exchange
  const rest = match[2] ?? ''
  if (req.method === 'GET' && rest === 'info/refs') {
    const service = serviceOf(exchange)
    const { repo } = await openFor(exchange, openers, service)
    const stream = await advertiseRefs(repo, service, connectionOf(exchange))
    return send(res, `application/x-${service}-advertisement`, stream)
  }
  if (req.method === 'POST' && isGitService(rest)) {
    if (req.headers['content-type'] !== `application/x-${rest}-request`) {
      throw new Refusal(415, 'The request is not a valid git request.')
    }
    const target = await openFor(exchange, openers, rest)
    return rest === 'git-upload-pack' ? serveFetch(exchange, target) : servePush(exchange, target)
  }
  if (req.method === 'GET') serviceOf({ ...exchange, query: '' })
  throw new Refusal(404, 'The service does not exist.')
}

/** Opens the repository if the caller may use the service. */
async function openFor(
  { ctx, req, match, count, ip }: WebExchange,
  openers: readonly OpenGitTarget[],
  service: GitService,
): Promise<GitTarget> {
  const actor = await identify(ctx, req.headers.authorization, ip).catch((error: unknown) => {
    count(anonymous)
    throw error
  })
  count(actor)
  const purpose = service === 'git-upload-pack' ? 'read' : 'write'
  return openTarget({ ...ctx, actor }, openers, { path: decoded(match[1] ?? ''), purpose, protocol: 'http' })
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    throw new Refusal(400, 'The address is not properly encoded.')
  }
}

async function serveFetch(exchange: WebExchange, { repo }: GitTarget): Promise<void> {
  const body = bodyOf(exchange.req, MAX_FETCH_REQUEST)
  const stream = await uploadPack(repo, { body, ...connectionOf(exchange) })
  await send(exchange.res, 'application/x-git-upload-pack-result', stream)
}

async function servePush(exchange: WebExchange, target: GitTarget): Promise<void> {
  if (await isProbe(exchange.req)) {
    return send(exchange.res, 'application/x-git-receive-pack-result', Readable.from([]))
  }
  const session = new PushSession(target)
  try {
    await runPush(exchange, target, session)
  } catch (error) {
    const problem = storageProblem(error)
    if (!problem || exchange.res.headersSent) throw error
    target.ctx.log.error({ err: error }, 'disk error')
    // Git shows messages in the side band (channel 3), but not the text of an error status.
    await send(
      exchange.res,
      'application/x-git-receive-pack-result',
      Readable.from([packet(`\u0003${problem.message}\n`)]),
    )
  } finally {
    await session.end()
  }
}

async function runPush(exchange: WebExchange, target: GitTarget, session: PushSession): Promise<void> {
  const { stream, done } = await receivePack(target.repo, {
    ...connectionOf(exchange),
    ...packLimitOf(target.ctx),
    body: bodyOf(exchange.req, undefined),
    preReceive: (push) => session.decide(push),
    postReceive: (push) => session.record(push),
  })
  // An accepted push goes on when its client disconnects, so the session ends only when git has ended.
  const [sent] = await Promise.allSettled([
    send(exchange.res, 'application/x-git-receive-pack-result', stream),
    done,
  ])
  if (sent.status === 'rejected') throw sent.reason
}

const PROBE = '0000'

/**
 * Returns true for the empty request that git sends before a large push, to test its credentials. It is recognized by
 * its length, and only then is the body read here.
 */
async function isProbe(req: IncomingMessage): Promise<boolean> {
  if (req.headers['content-length'] !== String(PROBE.length)) return false
  const chunks: Buffer[] = []
  for await (const chunk of req) chunks.push(chunk as Buffer)
  if (Buffer.concat(chunks).toString('latin1') === PROBE) return true
  throw new Refusal(400, 'The request is not a valid git request.')
}

/** Returns the client's protocol version, and a signal that aborts when the client disconnects. */
function connectionOf({ req, res }: WebExchange): { protocol?: string; signal: AbortSignal } {
  const abort = new AbortController()
  res.once('close', () => {
    if (!res.writableFinished) abort.abort(new Error('The client disconnected.'))
  })
  const protocol = req.headers['git-protocol']
  return { signal: abort.signal, ...(typeof protocol === 'string' ? { protocol } : {}) }
}

async function send(res: ServerResponse, type: string, stream: Readable): Promise<void> {
  res.writeHead(200, { 'Content-Type': type, ...NO_CACHE })
  // A failure of one stream ends the other, so the client notices that an answer is incomplete.
  await finishPipeline(stream, res)
}

/** The maximum unpacked size of a fetch request: enough for any history, and little space on a disk. */
const MAX_FETCH_REQUEST = 128 * 1024 * 1024

/**
 * Returns the body of a request as an unpacked stream. Throws 415 for an encoding other than gzip. The stream ends
 * with an error after more than `limit` unpacked bytes.
 */
function bodyOf(request: IncomingMessage, limit: number | undefined): Readable {
  const encoding = (request.headers['content-encoding'] ?? 'identity').toLowerCase()
  const isGzip = encoding === 'gzip' || encoding === 'x-gzip'
  if (!isGzip && encoding !== 'identity')
    throw new Refusal(415, `The content encoding ${encoding} is not supported.`)
  const streams: (Transform | PassThrough)[] = [
    ...(isGzip ? [createGunzip()] : []),
    ...(limit === undefined ? [] : [limiter(limit)]),
  ]
  const last = streams.at(-1)
  if (last === undefined) return request
  // An error of one stream destroys the others and reaches the reader of the last one.
  pipeline([request, ...streams], () => {})
  return last
}

function limiter(limit: number): Transform {
  let size = 0
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length
      if (size > limit) done(new Refusal(413, 'The request is too large.'))
      else done(null, chunk)
    },
  })
}
