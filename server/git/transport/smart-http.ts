import { once } from 'node:events'
import { PassThrough, Readable, type Duplex } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { git, value } from '../args.ts'
import type { Args } from '../args.ts'
import { GitError, GitInputError } from '../errors.ts'
import { repositoryExists } from '../upkeep/repository.ts'
import { open } from '../process/run.ts'
import type { Config, GitStream, RunOptions } from '../process/run.ts'
import { capabilitiesIn, pushAdvertisement } from './advertised-refs.ts'
import { answerLsRefs } from './ls-refs.ts'
import { packet } from './packets.ts'
import { PUSH_OFFER, TRANSFER_CONFIG } from './transfer-config.ts'
import type { Repo } from '../types.ts'

export type GitService = 'git-upload-pack' | 'git-receive-pack'

/** True for the two services of the protocol. Requests for others get 403. */
export function isGitService(text: unknown): text is GitService {
  return text === 'git-upload-pack' || text === 'git-receive-pack'
}

/**
 * Answers `GET …/info/refs?service=…`. `protocol` is the request's Git-Protocol header. Resolves when git starts to
 * answer. Throws GitError when the repository cannot be read.
 */
export async function advertiseRefs(
  repo: Repo,
  service: GitService,
  options: { protocol?: string; signal?: AbortSignal; config?: Config } = {},
): Promise<Readable> {
  const env = protocolEnv(options.protocol)
  const isV2 = isVersion2(options.protocol)
  // In version 2 the refs are requested later. This answer only lists git's capabilities, which are always the same, so
  // it is cached.
  const isCacheable = isV2 && service === 'git-upload-pack' && options.config === undefined
  const cached = isCacheable ? repo.git.cache.get<Buffer>(repo, ADVERTISEMENT, '2') : undefined
  if (cached && (await repositoryExists(repo))) return Readable.from([cached])
  const isPush = service === 'git-receive-pack' && env['GIT_PROTOCOL'] === undefined && !options.config
  const pushList = isPush ? await cachedPushList(repo) : undefined
  if (pushList !== undefined) return Readable.from([Buffer.from(pushList)])
  const command = service === 'git-upload-pack' ? git`upload-pack --strict` : git`receive-pack`
  const args = git`${command} --stateless-rpc --advertise-refs ${value(repo.gitDir)}`
  const config = [...TRANSFER_CONFIG, ...PUSH_OFFER, ...(options.config ?? [])]
  const runOptions = { pool: 'transfer', lowPriority: false, env, config, signal: options.signal } as const
  const stream = await start(
    repo,
    `smart_http.advertise_${service.slice(4).replace('-', '_')}`,
    args,
    runOptions,
  )
  // Version 2 has no service line.
  const output = forward(stream, isV2 ? '' : serviceLine(service))
  if (isPush) return cacheCapabilities(repo, output)
  if (!isCacheable) return output
  const content = await buffer(output)
  repo.git.cache.set(repo, ADVERTISEMENT, '2', { content, bytes: 300 + content.length })
  return Readable.from([content])
}

const ADVERTISEMENT = 'advertisement'

const serviceLine = (service: GitService) => `${packet(`# service=${service}\n`)}0000`

/** The list of refs for a push from cached refs; undefined while git's capabilities are unknown. */
async function cachedPushList(repo: Repo): Promise<string | undefined> {
  const cached = repo.git.cache.get<{ text: string }>(repo, ADVERTISEMENT, 'push')
  if (cached === undefined || !(await repositoryExists(repo))) return undefined
  const list = await pushAdvertisement(repo, cached.text)
  return list === undefined ? undefined : serviceLine('git-receive-pack') + list
}

/** Caches the capabilities in git's list of refs for a push, and returns the list. */
async function cacheCapabilities(repo: Repo, output: Readable): Promise<Readable> {
  const content = await buffer(output)
  const text = capabilitiesIn(content)
  if (text !== undefined)
    repo.git.cache.set(repo, ADVERTISEMENT, 'push', { content: { text }, bytes: 300 + text.length })
  return Readable.from([content])
}

/**
 * Answers `POST …/git-upload-pack`, a clone or fetch. `body` is the decompressed body of the request. Throws
 * GitInputError for an invalid request. Aborting the signal or destroying the answer ends the process.
 */
export async function uploadPack(
  repo: Repo,
  options: { body: Readable; protocol?: string; signal?: AbortSignal; timeoutMs?: number },
): Promise<Readable> {
  const args = git`upload-pack --strict --stateless-rpc ${value(repo.gitDir)}`
  const isClone = !(await beginningOf(options.body)).includes('command=ls-refs')
  const request = isVersion2(options.protocol) ? await readSmall(options.body) : undefined
  const input = request === undefined ? options.body : Readable.from([request])
  if (!isClone && request !== undefined) {
    const answer = await answerLsRefs(repo, request)
    if (answer !== undefined) return Readable.from([Buffer.from(answer)])
  }
  const { fetches } = repo.git
  const key = request && (await fetches.keyOf(repo, request))
  const stored = key !== undefined && (await repositoryExists(repo)) ? await fetches.get(key) : undefined
  if (stored !== undefined) return stored
  const stream = await start(repo, 'smart_http.upload_pack', args, {
    pool: 'transfer',
    // A list of refs takes little time, and a user waits for it.
    lowPriority: isClone,
    env: protocolEnv(options.protocol),
    config: TRANSFER_CONFIG,
    input,
    signal: options.signal,
    timeoutMs: options.timeoutMs ?? TRANSFER_TIMEOUT_MS,
  })
  return forward(stream, '', key === undefined ? undefined : await fetches.store(key, stream.done))
}

/** The first bytes of a stream, without consuming them; empty when the stream ended before. */
async function beginningOf(body: Readable): Promise<string> {
  if (body.readableLength === 0 && !body.readableEnded && !body.destroyed) {
    const { promise, resolve } = Promise.withResolvers<void>()
    const events = ['readable', 'end', 'error', 'close'] as const
    for (const event of events) body.once(event, resolve)
    await promise
    for (const event of events) body.off(event, resolve)
  }
  const head = body.destroyed ? null : (body.read() as Buffer | null)
  if (head === null) return ''
  body.unshift(head)
  return head.toString('latin1', 0, BEGINNING_BYTES)
}

const BEGINNING_BYTES = 64

/** Reads a whole small request. Undefined for a large one; then the stream still contains all bytes. */
async function readSmall(body: Readable): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of body.iterator({ destroyOnReturn: false })) {
      chunks.push(chunk as Buffer)
      size += (chunk as Buffer).length
      if (size > MAX_SMALL_BYTES) {
        body.unshift(Buffer.concat(chunks))
        return undefined
      }
    }
  } catch {
    // The request is incomplete, which git will report.
  }
  return Buffer.concat(chunks)
}

const MAX_SMALL_BYTES = 64 * 1024

/** The time limit of a transfer, which allows a large clone over a slow connection. */
export const TRANSFER_TIMEOUT_MS = 6 * 3600 * 1000

function isVersion2(header: string | undefined): boolean {
  return /(?:^|:)version=2(?:$|:)/.test(protocolEnv(header)['GIT_PROTOCOL'] ?? '')
}

/** The environment variable of git for the Git-Protocol header; empty if the header is invalid. */
export function protocolEnv(header: string | undefined): Record<string, string> {
  return header !== undefined && /^[a-z0-9=:._-]{1,200}$/i.test(header) ? { GIT_PROTOCOL: header } : {}
}

/** Waits until git writes its first bytes or ends, so that a failure can still become an error answer. */
async function start(repo: Repo, operation: string, args: Args, options: RunOptions): Promise<GitStream> {
  const stream = await open(repo, operation, args, options)
  const ended = stream.done.then(
    () => {},
    () => {},
  )
  await Promise.race([once(stream.stdout, 'readable'), ended])
  if (stream.stdout.readableLength > 0) return stream
  try {
    await stream.done
  } catch (error) {
    throw asInputError(error)
  }
  return stream
}

const INVALID_REQUEST =
  /^fatal: (?:git upload-pack: )?(?:protocol error|the remote end hung up|unknown (?:capability|object format)|invalid command|mismatched object format|expected )/m

/** Converts git's errors about the client's input to a GitInputError. */
export function asInputError(error: unknown): unknown {
  const isClient = error instanceof GitError && INVALID_REQUEST.test(error.stderr)
  return isClient ? new GitInputError('The request is not a valid git request.') : error
}

function forward(stream: GitStream, head: string, output: Duplex = new PassThrough()): Readable {
  if (head !== '') output.write(head)
  // Destroying the answer destroys git's output, which ends the process. A failure of git destroys the answer.
  void pipeline(stream.stdout, output).catch(() => stream.stop())
  stream.done.catch((error: Error) => output.destroy(error))
  output.on('error', () => {})
  return output
}
